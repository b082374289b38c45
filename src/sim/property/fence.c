/* I3: who is held for dead ends: a node is fenced only if it was accused, and an accused one that others heard of is. */
#include "sim/property/property.h"

static void on_fact(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    if (fact->type == KNELL_FACT_FENCED && knell__has(knell_check_sound(check), node))
        knell_check_violate(check, &knell_property_fence, "node %u was fenced though nobody accused it", node);
}

static void at_end(struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check);
    for (knell_rank node = 0; node < check->plan.config.ranks; node++) {
        bool heard = false;
        for (knell_rank other = 0; other < check->plan.config.ranks; other++)
            heard |= knell__has(sound, other) && knell__has(check->failed_told[other], node);
        if (heard && knell__has(check->condemned, node) && check->world->alive[node])
            knell_check_violate(check, &knell_property_fence, "node %u is held for dead and still lives", node);
    }
}

const struct knell_property knell_property_fence = {
    .name = "fence", .says = "who is held for dead ends, and nobody else", .fact = on_fact, .end = at_end};
