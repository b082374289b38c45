/* I12: a revoke that a sound node knows of becomes known to all sound members, whoever dies. (Who dropped the group passes nothing
 * on, and is none of them.) */
#include "sim/property/property.h"

static void at_end(struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check);
    for (uint32_t g = 0; g < check->plan.groups; g++) {
        knell_mask members = check->plan.member[g] & check->registered[g],
                   unknown = members & sound & ~check->revoked[g];
        if ((check->revoked[g] & sound) && unknown && !check->dropped[g])
            knell_check_violate(check, &knell_property_revoke, "nodes 0x%x never learned that group %u is revoked",
                                (unsigned)unknown, g);
    }
}

const struct knell_property knell_property_revoke = {
    .name = "revoke", .says = "a revoke reaches every living member", .end = at_end};
