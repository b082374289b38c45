/* I9: a decision folds together contributions that were made, and those of all who live and are sound. */
#include "sim/property/property.h"

static void on_fact(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    if (fact->type != KNELL_FACT_DECIDED || !knell__has(knell_check_sound(check), node))
        return;
    uint32_t op = check->next_op[node] - 1;
    const struct knell_outcome *outcome = &check->outcome[op][node];
    uint64_t all = ~UINT64_C(0), sound = ~UINT64_C(0);
    for (knell_rank other = 0; other < check->plan.config.ranks; other++) {
        if (!check->outcome[op][other].asked)
            continue;
        all &= check->outcome[op][other].brought;
        if (knell__has(knell_check_sound(check), other))
            sound &= check->outcome[op][other].brought;
    }
    if (outcome->flags & KNELL_FLAG_REVOKED) {
        if (!check->revoke_began[check->plan.op[op].group] || check->plan.op[op].kind != KNELL_KIND_CREATE)
            knell_check_violate(check, &knell_property_validity, "operation %u ended revoked without a revoke", op);
    } else if ((outcome->value & ~sound) || (all & ~outcome->value)) {
        knell_check_violate(check, &knell_property_validity, "operation %u: value %llx is no fold of the contributions", op,
                            (unsigned long long)outcome->value);
    }
}

const struct knell_property knell_property_validity = {
    .name = "validity", .says = "a decision is made of the contributions", .fact = on_fact};
