/* I2: every death becomes known to every living node, however many there are and whatever they cut. */
#include "sim/property/property.h"

static void at_end(struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check), gone = check->dead | check->left;
    for (knell_rank node = 0; node < check->plan.config.ranks; node++) {
        knell_mask unknown = gone & ~(check->failed_told[node] | check->left_told[node]);
        if (knell__has(sound, node) && unknown)
            knell_check_violate(check, &knell_property_completeness, "node %u never learned of the dead 0x%x", node,
                                (unsigned)unknown);
    }
}

const struct knell_property knell_property_completeness = {
    .name = "completeness", .says = "every death becomes known to every living node", .end = at_end};
