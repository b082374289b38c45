/* I9: a decision folds together contributions that were made, and those of all who live and are sound. Its dead are gone, and all
 * that a contributor knew of is among them. It says "acknowledged" if every contributor acknowledged these, and no more. */
#include "sim/property/property.h"

static const char *judge_value(const struct knell_check *check, uint32_t op, const struct knell_outcome *outcome)
{
    uint64_t all = ~UINT64_C(0), sound = ~UINT64_C(0), there = outcome->value_size == 8 ? ~UINT64_C(0) : UINT32_MAX;
    bool brief = false, full = false;
    for (knell_rank other = 0; other < check->plan.config.ranks; other++) {
        if (!check->outcome[op][other].asked)
            continue;
        all &= check->outcome[op][other].brought;
        if (!knell__has(knell_check_sound(check), other))
            continue;
        sound &= check->outcome[op][other].brought;
        brief |= knell__has(check->plan.brief, other);
        full |= !knell__has(check->plan.brief, other);
    }
    if ((outcome->value & ~sound & there) || (all & ~outcome->value & there))
        return "the value is no fold of the contributions";
    if ((brief && outcome->value_size != 4) || (brief && full && !(outcome->flags & KNELL_FLAG_MISMATCH)))
        return "contributions of different sizes are not told";
    return NULL;
}

static const char *judge_dead(const struct knell_check *check, uint32_t op, const struct knell_outcome *outcome)
{
    knell_mask members = check->plan.member[check->plan.op[op].group], knew = 0;
    bool all = true;
    for (knell_rank other = 0; other < check->plan.config.ranks; other++) {
        const struct knell_outcome *theirs = &check->outcome[op][other];
        if (!theirs->asked)
            continue;
        all = all && theirs->acked == (outcome->dead & members);
        if (!knell__has(knell_check_sound(check), other))
            continue;
        knew |= theirs->knew;
        if ((outcome->flags & KNELL_FLAG_ACKED) && theirs->acked != (outcome->dead & members))
            return "said to be acknowledged by all, and is not";
    }
    if (all && !(outcome->flags & (KNELL_FLAG_ACKED | KNELL_FLAG_REVOKED)))
        return "acknowledged by all, and not said to be";
    if (outcome->dead & ~(check->dead | check->left | check->condemned))
        return "a living node is among the dead";
    return knew & ~outcome->dead ? "a death that a contributor knew of is missing" : NULL;
}

static void on_fact(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    if (fact->type != KNELL_FACT_DECIDED || !knell__has(knell_check_sound(check), node))
        return;
    uint32_t op = check->returned;
    const struct knell_outcome *outcome = &check->outcome[op][node];
    const char *wrong = NULL;
    if (outcome->flags & KNELL_FLAG_REVOKED) {
        if (!check->revoke_began[check->plan.op[op].group] || check->plan.op[op].kind != KNELL_KIND_CREATE)
            wrong = "ended revoked without a revoke";
    } else {
        wrong = judge_value(check, op, outcome);
        wrong = wrong ? wrong : judge_dead(check, op, outcome);
    }
    if (wrong)
        knell_check_violate(check, &knell_property_validity, "node %u, operation %u: %s", node, op, wrong);
}

const struct knell_property knell_property_validity = {
    .name = "validity", .says = "a decision is made of the contributions", .fact = on_fact};
