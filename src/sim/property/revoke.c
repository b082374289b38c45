/* I12: a revoke that a sound node knows of becomes known to all sound members, if no more died than the overlay survives. */
#include "sim/property/property.h"

static unsigned tolerance(uint32_t members)
{
    unsigned log = 0;
    while (members >> (log + 1))
        log++;
    return log == 0 ? 0 : members == UINT32_C(1) << log ? 2 * log - 2 : 2 * log - 1;
}

static void at_end(struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check), gone = check->all & ~sound;
    for (uint32_t g = 0; g < check->plan.groups; g++) {
        knell_mask members = check->plan.member[g] & check->registered[g], unknown = members & sound & ~check->revoked[g];
        unsigned dead = (unsigned)__builtin_popcount(gone & check->plan.member[g]);
        bool whole = members == check->plan.member[g];
        if (whole && (check->revoked[g] & sound) && unknown && dead <= tolerance(check->group[g].size))
            knell_check_violate(check, &knell_property_revoke, "nodes 0x%x never learned that group %u is revoked",
                                (unsigned)unknown, g);
    }
}

const struct knell_property knell_property_revoke = {
    .name = "revoke", .says = "a revoke reaches every living member", .end = at_end};
