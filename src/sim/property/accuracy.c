/* I1: no living node is ever held for dead, unless somebody outside said so. */
#include "sim/property/property.h"

static void on_fact(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    if (fact->type == KNELL_FACT_FAILED && knell__has(knell_check_sound(check), fact->rank) &&
        knell__has(knell_check_sound(check), node))
        knell_check_violate(check, &knell_property_accuracy, "node %u holds %u for dead, which lives (%s, by %u)", node,
                            fact->rank, knell_why_text(fact->why), fact->by);
}

const struct knell_property knell_property_accuracy = {
    .name = "accuracy", .says = "no living node is suspected", .fact = on_fact};
