/* I10: who takes part in an operation returns from it, whoever dies; and who leaves gets away. */
#include "sim/property/property.h"

static void at_end(struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check);
    for (knell_rank node = 0; node < check->plan.config.ranks; node++) {
        if (knell__has(check->leaving & ~check->condemned, node))
            knell_check_violate(check, &knell_property_termination, "node %u never got away", node);
        for (uint32_t op = 0; op < check->plan.ops && knell__has(sound, node); op++)
            if (check->outcome[op][node].asked && !check->outcome[op][node].decided &&
                !knell__check_may_wait(check, op))
                knell_check_violate(check, &knell_property_termination, "node %u never returned from operation %u",
                                    node, op);
    }
}

const struct knell_property knell_property_termination = {
    .name = "termination", .says = "every operation returns", .end = at_end};
