/* I7: who left is told as left, to all who had not taken it for failed, and never as failed afterwards. */
#include "sim/property/property.h"

static void on_fact(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    if (fact->type == KNELL_FACT_FAILED && knell__has(check->left_told[node], fact->rank))
        knell_check_violate(check, &knell_property_left, "node %u: %u failed after it had left", node, fact->rank);
    if (fact->type == KNELL_FACT_LEFT && !knell__has(check->left, fact->rank))
        knell_check_violate(check, &knell_property_left, "node %u: %u left, but it did not", node, fact->rank);
}

const struct knell_property knell_property_left = {
    .name = "left", .says = "a clean departure stays one", .fact = on_fact};
