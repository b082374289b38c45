/* I8: sound nodes that return from one operation return the same, and never other than one that lives and returned before. */
#include "sim/property/property.h"

static bool same(const struct knell_outcome *a, const struct knell_outcome *b)
{
    if ((a->flags ^ b->flags) & (KNELL_FLAG_REVOKED | KNELL_FLAG_ACKED))
        return false;
    return (a->flags & KNELL_FLAG_REVOKED) || (a->value == b->value && a->dead == b->dead);
}

static void on_fact(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    knell_mask sound = knell_check_sound(check);
    if (fact->type != KNELL_FACT_DECIDED || !knell__has(sound, node))
        return;
    uint32_t op = check->next_op[node] - 1; /* it has just returned from it */
    for (knell_rank other = 0; other < check->plan.config.ranks; other++)
        if (knell__has(sound, other) && check->outcome[op][other].decided &&
            !same(&check->outcome[op][node], &check->outcome[op][other]))
            knell_check_violate(check, &knell_property_agreement, "nodes %u and %u returned differently from operation %u",
                                node, other, op);
}

const struct knell_property knell_property_agreement = {
    .name = "agreement", .says = "all who live return the same", .fact = on_fact};
