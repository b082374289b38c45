/* I8: sound nodes that return from one operation return the same, and never other than one that lives and returned before; nor,
 * if nobody died, than one that returned and left (but for one that dropped the group before it left: it has forgotten). */
#include "sim/property/property.h"

static bool same(const struct knell_outcome *a, const struct knell_outcome *b)
{
    return a->flags == b->flags && a->value_size == b->value_size && a->value == b->value && a->dead == b->dead;
}

static void on_fact(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    uint32_t op = check->returned;
    knell_mask bound = knell_check_sound(check);
    if (!(check->dead | check->condemned))
        bound |= check->left & ~check->dropped[check->plan.op[op].group];
    if (fact->type != KNELL_FACT_DECIDED || !knell__has(bound, node))
        return;
    for (knell_rank other = 0; other < check->plan.config.ranks; other++)
        if (knell__has(bound, other) && check->outcome[op][other].decided &&
            !same(&check->outcome[op][node], &check->outcome[op][other]))
            knell_check_violate(check, &knell_property_agreement,
                                "nodes %u and %u returned differently from operation %u", node, other, op);
}

const struct knell_property knell_property_agreement = {
    .name = "agreement", .says = "all who live return the same", .fact = on_fact};
