/* check_edge: draws what happens at the edges of the model; see check.h. From numbers of its own, so that the rest of a seed's world
 * stays what it was. */
#include "sim/check.h"

enum { TAU = 1000, EDGE_KEY = 77 };

struct draw {
    struct knell_check_plan *plan;
    struct knell_prng prng;
    knell_time from, window;
};

static uint32_t below(struct draw *draw, uint32_t n)
{
    return (uint32_t)knell_prng_below(&draw->prng, n);
}

static bool one_in(struct draw *draw, uint32_t n)
{
    return below(draw, n) == 0;
}

static knell_rank anyone(struct draw *draw)
{
    return below(draw, draw->plan->config.ranks);
}

static knell_time sometime(struct draw *draw)
{
    return draw->from + (knell_time)knell_prng_below(&draw->prng, (uint64_t)draw->window);
}

static void more_operations(struct draw *draw, uint32_t least)
{
    struct knell_check_plan *plan = draw->plan;
    while (plan->ops < least)
        plan->op[plan->ops++] = (struct knell_op){below(draw, plan->groups), below(draw, KNELL_KIND_END)};
}

static bool is_an_end(const struct knell_act *act)
{
    return act->type == KNELL_ACT_CRASH || act->type == KNELL_ACT_DOOM || act->type == KNELL_ACT_TRIGGER ||
           act->type == KNELL_ACT_ACCUSE || act->type == KNELL_ACT_REPORT;
}

/* Nobody ends but by leaving. */
static void spare_all(struct knell_check_plan *plan)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->acts; i++)
        if (!is_an_end(&plan->act[i]))
            plan->act[kept++] = plan->act[i];
    plan->acts = kept;
    plan->crashes = 0;
    plan->accuses = false;
}

static void draw_leaves(struct draw *draw, bool certain)
{
    struct knell_check_plan *plan = draw->plan;
    if (certain && one_in(draw, 2))
        spare_all(plan);
    more_operations(draw, 1);
    uint32_t wanted = 1 + below(draw, one_in(draw, 3) ? plan->config.ranks : 2);
    for (uint32_t i = 0; i < wanted; i++)
        plan->leaves_after[anyone(draw)] = (uint8_t)(1 + below(draw, plan->ops));
    plan->leaves = true;
}

/* The accuser dies in the middle of telling, or just after it; somebody's kernel, often that of the accused, says so at once. */
static void draw_accuser(struct draw *draw)
{
    struct knell_check_plan *plan = draw->plan;
    knell_rank accuser = anyone(draw), accused = anyone(draw);
    uint32_t n = plan->config.ranks;
    if (plan->accuses || accuser == accused || n < 3)
        return;
    if (one_in(draw, 2)) /* neighbours on the ring meet what others do not */
        accused = (accuser + (one_in(draw, 2) ? 1 : n - 1)) % n;
    knell_time time = sometime(draw), after = (knell_time)below(draw, one_in(draw, 2) ? 3 : 3 * TAU);
    bool doomed = one_in(draw, 2);
    if (doomed)
        knell__check_act(plan, time, KNELL_ACT_DOOM, accuser, below(draw, 8));
    knell__check_act(plan, time, KNELL_ACT_ACCUSE, accuser, accused);
    if (!doomed)
        knell__check_act(plan, time + after, KNELL_ACT_CRASH, accuser, 0);
    for (uint32_t i = below(draw, 4); i > 0; i--)
        knell__check_act(plan, time + after + below(draw, 2 * TAU), KNELL_ACT_REPORT,
                         one_in(draw, 2) ? accused : anyone(draw), accuser);
    plan->accuses = true;
    plan->crashes++;
}

/* The last operation is to tell that all are through with those before. A create does not: on a revoked group it ends without being
 * asked for. */
static void end_with_agree(struct knell_check_plan *plan, uint32_t g)
{
    for (uint32_t op = plan->ops; op-- > 0;)
        if (plan->op[op].group == g) {
            plan->op[op].kind = KNELL_KIND_AGREE;
            return;
        }
}

/* Groups come one after the other, each with an operation or more. */
static void draw_drops(struct draw *draw)
{
    struct knell_check_plan *plan = draw->plan;
    uint32_t n = plan->config.ranks, first = plan->groups;
    while (plan->groups < KNELL_CHECK_GROUPS) {
        uint32_t g = plan->groups++;
        knell_time time = draw->from + (g - first + 1) * (draw->window / KNELL_CHECK_GROUPS);
        plan->member[g] = ((knell_mask)knell_prng_next(&draw->prng) & plan->member[0]) | knell__one(anyone(draw));
        for (knell_rank node = 0; node < n; node++)
            if (knell__has(plan->member[g], node))
                knell__check_act(plan, time + below(draw, 8 * TAU), KNELL_ACT_REGISTER, node, g);
        if (plan->ops < KNELL_CHECK_OPS)
            plan->op[plan->ops++] = (struct knell_op){g, below(draw, KNELL_KIND_END)};
    }
    for (uint32_t g = 1; g < plan->groups; g++) {
        plan->drops[g] = !one_in(draw, 4);
        end_with_agree(plan, g);
    }
}

/* Of those who know of the revoke first several die, each in the middle of passing it on. */
static void draw_revokes(struct draw *draw)
{
    struct knell_check_plan *plan = draw->plan;
    uint32_t g = below(draw, plan->groups), deaths = 1 + below(draw, 4);
    knell_rank revoker = anyone(draw);
    knell_time time = draw->from + draw->window / 2 + below(draw, 4 * TAU);
    if (one_in(draw, 2))
        knell__check_act(plan, time, KNELL_ACT_DOOM, revoker, below(draw, 6));
    knell__check_act(plan, time, KNELL_ACT_REVOKE, revoker, g);
    for (uint32_t i = 0; i < deaths; i++)
        knell__check_act(plan, time + below(draw, 2 * TAU), KNELL_ACT_DOOM, anyone(draw), below(draw, 6));
    plan->crashes += deaths;
    plan->revokes = true;
}

static void draw_manners(struct draw *draw)
{
    struct knell_check_plan *plan = draw->plan;
    plan->at_a_time = one_in(draw, 2);
    if (one_in(draw, 4))
        plan->brief = (knell_mask)knell_prng_next(&draw->prng);
    if (one_in(draw, 4)) {
        plan->careless = (knell_mask)knell_prng_next(&draw->prng);
        plan->careless &= (knell_mask)knell_prng_next(&draw->prng); /* one in four */
    }
}

void knell__check_edges_draw(struct knell_check_plan *plan, enum knell_edge edge, uint64_t key, knell_time from,
                             knell_time window)
{
    struct draw draw = {.plan = plan, .from = from, .window = window};
    knell_prng_seed(&draw.prng, knell_prng_key(key, EDGE_KEY));
    draw_manners(&draw);
    if (edge == KNELL_EDGE_DROPS || (edge == KNELL_EDGE_ANY && one_in(&draw, 6)))
        draw_drops(&draw);
    if (edge == KNELL_EDGE_LEAVES || (edge == KNELL_EDGE_ANY && one_in(&draw, 6)))
        draw_leaves(&draw, edge == KNELL_EDGE_LEAVES);
    if (edge == KNELL_EDGE_ACCUSERS || (edge == KNELL_EDGE_ANY && one_in(&draw, 6)))
        draw_accuser(&draw);
    if (edge == KNELL_EDGE_REVOKES || (edge == KNELL_EDGE_ANY && one_in(&draw, 6)))
        draw_revokes(&draw);
}
