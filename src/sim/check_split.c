/* check_split: draws worlds whose network splits (docs/design/protocol.md, "Splits"); see check.h. Half of them are orderly: one
 * thing happens after the other, so that the rule alone, below in a few lines, says who is left. In the others everything happens
 * at any time, and it is only judged that no two sides go on. */
#include "sim/check.h"

enum { TAU = 1000, HOSTS = 6 };

struct draw {
    struct knell_check_plan *plan;
    struct knell_prng *prng;
    knell_time at;
    uint32_t cuts;
    knell_mask living, silent; /* orderly: whom the rule leaves, and whom it counts against them */
};

static uint32_t below(struct draw *draw, uint32_t n)
{
    return (uint32_t)knell_prng_below(draw->prng, n);
}

static bool one_in(struct draw *draw, uint32_t n)
{
    return below(draw, n) == 0;
}

knell_time knell__check_calm(const struct knell_check_plan *plan)
{
    const struct knell_config *config = &plan->config;
    return (2 * (knell_time)config->ranks + 6) * config->delta + 8 * config->eta + (knell_time)64 * TAU;
}

/* ---- the rule ---------------------------------------------------------------------------------------------------------------- */

static bool goes_on(knell_mask here, knell_mask silent)
{
    int more = __builtin_popcount(here) - __builtin_popcount(silent);
    return here && (more > 0 || (more == 0 && __builtin_ctz(here) < __builtin_ctz(silent)));
}

static void judge(struct draw *draw)
{
    if (!goes_on(draw->living, draw->silent))
        draw->living = 0;
}

static void judge_split(struct draw *draw, const uint8_t *side)
{
    knell_mask left = 0;
    for (unsigned s = 0; s < HOSTS; s++) {
        knell_mask here = 0;
        for (knell_rank node = 0; node < draw->plan->config.ranks; node++)
            here |= side[node] == s ? draw->living & knell__one(node) : 0;
        if (goes_on(here, draw->silent | (draw->living & ~here)))
            left = here;
    }
    draw->silent |= draw->living & ~left;
    draw->living = left;
}

/* ---- what happens -------------------------------------------------------------------------------------------------------------- */

static const uint8_t *draw_cut(struct draw *draw, knell_time at)
{
    struct knell_check_plan *plan = draw->plan;
    uint8_t of_host[HOSTS], *side = plan->side[draw->cuts];
    uint32_t sides = one_in(draw, 4) ? 3 : 2;
    for (unsigned h = 0; h < HOSTS; h++)
        of_host[h] = (uint8_t)below(draw, sides);
    for (knell_rank node = 0; node < plan->config.ranks; node++)
        side[node] = of_host[plan->host[node]];
    knell__check_act(plan, at, KNELL_ACT_CUT, 0, draw->cuts++);
    return side;
}

static void heal(struct draw *draw, knell_time at)
{
    knell__check_act(draw->plan, at, KNELL_ACT_HEAL, 0, 0);
}

/* The last heartbeat before a cut is up to eta old and up to tau on its way, the first one after it comes up to eta + tau after its
 * end: a cut shorter than delta - 2 eta - 2 tau makes nobody silent. */
static knell_time brief(struct draw *draw)
{
    const struct knell_config *config = &draw->plan->config;
    return 1 +
           (knell_time)knell_prng_below(draw->prng, (uint64_t)(config->delta - 2 * config->eta - (knell_time)2 * TAU));
}

static void draw_operation(struct draw *draw, knell_time at, knell_time spread)
{
    struct knell_check_plan *plan = draw->plan;
    if (plan->ops == KNELL_CHECK_OPS)
        return;
    plan->op_time[plan->ops] = at;
    plan->op[plan->ops++] = (struct knell_op){below(draw, plan->groups), below(draw, KNELL_KIND_CREATE)};
    for (knell_rank node = 0; node < plan->config.ranks; node++)
        knell__check_act(plan, at + (knell_time)knell_prng_below(draw->prng, (uint64_t)spread), KNELL_ACT_PROCEED, node,
                         0);
}

/* One of its host that lives says so at once. */
static bool report(struct draw *draw, knell_time at, knell_rank dead, knell_mask living)
{
    const struct knell_check_plan *plan = draw->plan;
    for (knell_rank node = 0; node < plan->config.ranks; node++)
        if (node != dead && plan->host[node] == plan->host[dead] && knell__has(living, node)) {
            knell__check_act(draw->plan, at, KNELL_ACT_REPORT, node, dead);
            return true;
        }
    return false;
}

/* Whoever is heard on all sides tells nodes of any of them, at any time: not those whom the dead one held for dead (act_suspect). */
static void pass_on(struct draw *draw, knell_time at, knell_rank dead, uint32_t told, knell_time window)
{
    for (; told > 0; told--)
        knell__check_act(draw->plan, at + 1 + (knell_time)knell_prng_below(draw->prng, (uint64_t)window),
                         KNELL_ACT_REPORT, below(draw, draw->plan->config.ranks), dead);
}

static void die(struct draw *draw)
{
    knell_rank node = below(draw, draw->plan->config.ranks);
    if (!knell__has(draw->living, node))
        return;
    draw->living &= ~knell__one(node);
    knell__check_act(draw->plan, draw->at, KNELL_ACT_CRASH, node, 0);
    if (one_in(draw, 3) || !report(draw, draw->at + 1, node, draw->living))
        draw->silent |= knell__one(node);
    judge(draw);
}

static void next_in_order(struct draw *draw)
{
    struct knell_check_plan *plan = draw->plan;
    uint32_t what = plan->brief_cuts ? below(draw, 2) : below(draw, 5);
    if (what == 0 && draw->cuts < KNELL_CHECK_CUTS) {
        draw_cut(draw, draw->at);
        heal(draw, draw->at + brief(draw));
    } else if (what == 1) {
        draw_operation(draw, draw->at, plan->config.eta);
        draw->silent = 0;
    } else if (what == 2) {
        die(draw);
    } else if (what > 2 && draw->cuts < KNELL_CHECK_CUTS) {
        judge_split(draw, draw_cut(draw, draw->at));
        if (one_in(draw, 2))
            heal(draw, draw->at + knell__check_calm(plan));
    }
    draw->at += knell__check_calm(plan) + 1;
}

static void draw_orderly(struct draw *draw)
{
    draw->plan->orderly = true;
    draw->plan->brief_cuts = one_in(draw, 6);
    draw->plan->groups = 1;
    for (uint32_t events = 2 + below(draw, 5); events > 0; events--)
        next_in_order(draw);
    draw->plan->survivors = draw->living;
}

/* ---- all at once ----------------------------------------------------------------------------------------------------------------- */

static knell_time sometime(struct draw *draw, knell_time window)
{
    return draw->at + (knell_time)knell_prng_below(draw->prng, (uint64_t)window);
}

static void draw_wild_end(struct draw *draw, knell_time window)
{
    struct knell_check_plan *plan = draw->plan;
    knell_rank node = below(draw, plan->config.ranks);
    knell_time at = sometime(draw, window);
    switch (below(draw, 8)) {
    case 0:
        knell__check_act(plan, at, KNELL_ACT_LEAVE, node, 0);
        plan->leaves = true;
        return;
    case 1:
        knell__check_act(plan, at, KNELL_ACT_ACCUSE, node, below(draw, plan->config.ranks));
        return;
    case 2:
        knell__check_act(plan, at, KNELL_ACT_TRIGGER, node, 0);
        return;
    case 3:
        knell__check_act(plan, at, KNELL_ACT_DOOM, node, below(draw, 8));
        return;
    default:
        knell__check_act(plan, at, KNELL_ACT_CRASH, node, 0);
        if (one_in(draw, 2))
            report(draw, at + 1 + below(draw, 3 * TAU), node, plan->member[0]);
        if (one_in(draw, 2))
            pass_on(draw, at, node, 1 + below(draw, 4), window);
    }
}

/* The larger side agrees without the smaller, which still looks for its silent ones; then it dies for the most part, and that is told. */
static void draw_told(struct draw *draw)
{
    struct knell_check_plan *plan = draw->plan;
    const uint8_t *side = draw_cut(draw, draw->at);
    plan->groups = 1;
    knell_time delta = plan->config.delta, dies = draw->at + 2 * delta + (knell_time)below(draw, 4 * (uint32_t)delta);
    draw_operation(draw, draw->at + 1, delta);
    for (knell_rank node = 0; node < plan->config.ranks; node++)
        if (side[node] == 0 && !one_in(draw, 4)) {
            knell__check_act(plan, dies, KNELL_ACT_CRASH, node, 0);
            pass_on(draw, dies, node, 3, delta);
        }
}

static void draw_wild(struct draw *draw)
{
    struct knell_check_plan *plan = draw->plan;
    const struct knell_config *config = &plan->config;
    knell_time window = config->delta * (1 + below(draw, one_in(draw, 2) ? 4 : 2 * config->ranks));
    plan->groups = 1 + below(draw, 2);
    plan->member[1] = plan->groups > 1 ? ((knell_mask)knell_prng_next(draw->prng) & plan->member[0]) | 1 : 0;
    for (knell_rank node = 0; node < config->ranks; node++)
        if (knell__has(plan->member[1], node))
            knell__check_act(plan, draw->at, KNELL_ACT_REGISTER, node, 1);
    for (uint32_t cuts = 1 + below(draw, 5); cuts > 0; cuts--) {
        knell_time at = sometime(draw, window);
        draw_cut(draw, at);
        if (one_in(draw, 2)) /* or the next one changes it in an instant */
            heal(draw, at + 1 + (knell_time)knell_prng_below(draw->prng, UINT64_C(4) * (uint64_t)config->delta));
    }
    for (uint32_t operations = 1 + below(draw, 6); operations > 0; operations--)
        draw_operation(draw, sometime(draw, window), one_in(draw, 2) ? TAU : config->delta);
    for (uint32_t ends = below(draw, 4); ends > 0; ends--)
        draw_wild_end(draw, window);
}

static void draw_any(struct draw *draw)
{
    uint32_t what = below(draw, 8);
    if (what < 4)
        draw_orderly(draw);
    else if (what < 7)
        draw_wild(draw);
    else
        draw_told(draw);
}

void knell__check_splits_draw(struct knell_check_plan *plan, struct knell_prng *prng)
{
    struct draw draw = {.plan = plan, .prng = prng, .at = 2 * plan->config.eta};
    uint32_t hosts = 2 + below(&draw, HOSTS - 1);
    plan->splits = true;
    plan->config.on_split = KNELL_SPLIT_END;
    /* There are brief cuts, and the kernel's word is known to all before anybody is missed. */
    plan->config.delta += 2 * plan->config.eta + (knell_time)16 * TAU;
    plan->member[0] = draw.living = (knell_mask)((UINT64_C(1) << plan->config.ranks) - 1);
    for (knell_rank node = 0; node < plan->config.ranks; node++)
        plan->host[node] = (uint8_t)below(&draw, hosts);
    draw_any(&draw);
}
