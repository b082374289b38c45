/* I13: in a network that splits no two sides go on, and one does if the rule names one. For worlds that split alone: what else is
 * promised holds on the side that goes on. */
#include "sim/property/property.h"

static const struct knell_property *const this = &knell_property_split;

/* Of two decisions of all who live, one leaves nobody behind whom the other takes along, and the other way round. */
static void compare_sides(struct knell_check *check, knell_rank node)
{
    uint32_t op = check->returned;
    knell_mask dead = check->outcome[op][node].dead;
    for (uint32_t i = 0; i < check->plan.ops && check->plan.op[op].group == 0; i++)
        for (knell_rank other = 0; check->plan.op[i].group == 0 && other < check->plan.config.ranks; other++) {
            const struct knell_outcome *theirs = &check->outcome[i][other];
            if (theirs->decided && (dead & ~theirs->dead) && (theirs->dead & ~dead))
                knell_check_violate(check, this, "two sides return: node %u without 0x%x, node %u without 0x%x", node,
                                    (unsigned)dead, other, (unsigned)theirs->dead);
        }
}

static void on_fact(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    if (fact->type == KNELL_FACT_DECIDED)
        compare_sides(check, node);
    if (fact->type == KNELL_FACT_FAILED && check->plan.brief_cuts)
        knell_check_violate(check, this, "node %u holds %u for dead after a cut that is too short", node, fact->rank);
}

static knell_mask survivors_of(const struct knell_check *check)
{
    knell_mask survivors = 0;
    for (knell_rank node = 0; node < check->plan.config.ranks; node++)
        if (check->world->alive[node] && knell_node_state(check->world->node[node]) == KNELL_STATE_RUNNING)
            survivors |= knell__one(node);
    return survivors;
}

static bool same(const struct knell_outcome *a, const struct knell_outcome *b)
{
    return a->flags == b->flags && a->value_size == b->value_size && a->value == b->value && a->dead == b->dead;
}

static void judge_operation(struct knell_check *check, uint32_t op, knell_mask survivors)
{
    knell_rank first = KNELL_NOBODY;
    for (knell_rank node = 0; node < check->plan.config.ranks; node++) {
        const struct knell_outcome *outcome = &check->outcome[op][node];
        if (!knell__has(survivors, node) || !outcome->asked)
            continue;
        if (!outcome->decided)
            knell_check_violate(check, this, "node %u never returned from operation %u", node, op);
        if (first == KNELL_NOBODY)
            first = node;
        else if (outcome->decided && check->outcome[op][first].decided && !same(outcome, &check->outcome[op][first]))
            knell_check_violate(check, this, "nodes %u and %u returned differently from operation %u", node, first, op);
    }
}

static void at_end(struct knell_check *check)
{
    knell_mask survivors = survivors_of(check);
    for (knell_rank node = 0; node < check->plan.config.ranks; node++)
        if (knell__has(survivors, node) && (check->failed_told[node] & survivors))
            knell_check_violate(check, this, "two sides go on: node %u without 0x%x", node,
                                (unsigned)(check->failed_told[node] & survivors));
    if (check->plan.orderly && survivors != check->plan.survivors)
        knell_check_violate(check, this, "0x%x go on, not 0x%x", (unsigned)survivors, (unsigned)check->plan.survivors);
    for (uint32_t op = 0; op < check->plan.ops; op++)
        judge_operation(check, op, survivors);
}

const struct knell_property knell_property_split = {
    .name = "split", .says = "no two sides of a split go on", .fact = on_fact, .end = at_end};
