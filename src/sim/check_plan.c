/* check_plan: draws a small world and what happens in it. Extremes are drawn often: two nodes, everybody dies, at one
 * instant, in the middle of a send. */
#include "sim/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TAU = 1000, GROUPS = 4, OPS = 8 /* before the edges add theirs */ };

static uint32_t below(struct knell_prng *prng, uint32_t n)
{
    return (uint32_t)knell_prng_below(prng, n);
}

static bool one_in(struct knell_prng *prng, uint32_t n)
{
    return below(prng, n) == 0;
}

static void draw_config(struct knell_check_plan *plan, struct knell_prng *prng)
{
    static const enum knell_network networks[] = {KNELL_NETWORK_LATENCY, KNELL_NETWORK_EXTREME, KNELL_NETWORK_ONEPORT};
    struct knell_config *config = &plan->config;
    plan->network = networks[below(prng, 3)];
    config->ranks = 2 + below(prng, one_in(prng, 2) ? 6 : KNELL_CHECK_NODES - 1);
    config->tau = TAU;
    config->eta = (knell_time)(3 + below(prng, 10)) * TAU;
    config->delta = config->eta + TAU + below(prng, 5) * config->eta;
    if (plan->network == KNELL_NETWORK_ONEPORT)
        config->delta +=
            (knell_time)8 * config->ranks * TAU; /* with one port a heartbeat may wait for a broadcast to pass */
    config->overlay = one_in(prng, 3) ? KNELL_OVERLAY_HBA : KNELL_OVERLAY_CIRCULANT;
    config->latest_only = one_in(prng, 8);
    config->tree_bits = (uint32_t)(config->eta / TAU % 4); /* not drawn: the rest of a seed's world stays what it was */
    plan->wire = one_in(prng, 2);
}

static void draw_ring(struct knell_check_plan *plan, struct knell_prng *prng)
{
    uint32_t n = plan->config.ranks;
    if (!one_in(prng, 4))
        return;
    for (uint32_t i = 0; i < n; i++)
        plan->order[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) {
        uint32_t k = below(prng, i + 1);
        knell_rank rank = plan->order[i];
        plan->order[i] = plan->order[k];
        plan->order[k] = rank;
    }
    for (uint32_t i = 0; i < n; i++)
        plan->position[plan->order[i]] = i;
    plan->config.ring_order = plan->order;
    plan->config.ring_position = plan->position;
}

void knell__check_act(struct knell_check_plan *plan, knell_time time, enum knell_act_type type, knell_rank node,
                      uint32_t number)
{
    assert(plan->acts < KNELL_CHECK_ACTS);
    plan->act[plan->acts++] = (struct knell_act){time, type, node, number};
}

/* Some die, at any time of the window or all at once; of each some node's kernel may report. */
static void draw_deaths(struct knell_check_plan *plan, struct knell_prng *prng, knell_time from, knell_time window)
{
    uint32_t n = plan->config.ranks, wanted = one_in(prng, 4) ? below(prng, n) : below(prng, 4);
    bool at_once = one_in(prng, 4);
    knell_time moment = from + (knell_time)knell_prng_below(prng, (uint64_t)window);
    knell_mask chosen = 0;
    for (uint32_t i = 0; i < wanted && i + 1 < n; i++) {
        knell_rank node = below(prng, n);
        if (chosen >> node & 1)
            continue;
        chosen |= UINT32_C(1) << node;
        knell_time time = at_once ? moment : from + (knell_time)knell_prng_below(prng, (uint64_t)window);
        bool doomed = one_in(prng, 3);
        knell__check_act(plan, time, doomed ? KNELL_ACT_DOOM : KNELL_ACT_CRASH, node, below(prng, 8));
        plan->crashes++;
        if (one_in(prng, 2))
            knell__check_act(plan, time + 1 + (knell_time)knell_prng_below(prng, UINT64_C(4) * TAU), KNELL_ACT_REPORT,
                             below(prng, n), node);
    }
    if (one_in(prng, 6) && n > 2) {
        knell__check_act(plan, moment, KNELL_ACT_LEAVE, below(prng, n), 0);
        plan->leaves = true;
    }
    if (one_in(prng, 10) && n > 2)
        knell__check_act(plan, moment, KNELL_ACT_TRIGGER, below(prng, n), 0);
    knell_rank accuser = below(prng, n); /* one that lives: what a dying one says may be lost, to the accused alone */
    if (one_in(prng, 10) && n > 2 && !(chosen >> accuser & 1)) {
        knell__check_act(plan, moment, KNELL_ACT_ACCUSE, accuser, below(prng, n));
        plan->accuses = true;
    }
    if (one_in(prng, 6)) {
        knell__check_act(plan, moment, KNELL_ACT_RESUME, below(prng, n), below(prng, (uint32_t)plan->config.delta));
        plan->resumes = true;
    }
}

static void draw_groups(struct knell_check_plan *plan, struct knell_prng *prng, knell_time from, knell_time window)
{
    uint32_t n = plan->config.ranks;
    plan->member[0] = (knell_mask)((UINT64_C(1) << n) - 1);
    plan->groups = 1 + below(prng, GROUPS);
    for (uint32_t g = 1; g < plan->groups; g++) {
        plan->member[g] = (knell_mask)knell_prng_next(prng) & plan->member[0];
        plan->member[g] |= UINT32_C(1) << below(prng, n);
        for (knell_rank node = 0; node < n; node++)
            if (plan->member[g] >> node & 1)
                knell__check_act(plan, from + (knell_time)knell_prng_below(prng, (uint64_t)window / 2 + 1),
                                 KNELL_ACT_REGISTER, node, g);
    }
    plan->ops = below(prng, OPS + 1);
    for (uint32_t i = 0; i < plan->ops; i++)
        plan->op[i] = (struct knell_op){below(prng, plan->groups), below(prng, KNELL_KIND_END)};
    if (one_in(prng, 3)) {
        uint32_t times = 1 + below(prng, 2), g = below(prng, plan->groups);
        for (uint32_t i = 0; i < times; i++)
            knell__check_act(plan, from + (knell_time)knell_prng_below(prng, (uint64_t)window), KNELL_ACT_REVOKE,
                             below(prng, n), g);
        plan->revokes = true;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct knell_act *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

void knell_check_plan_draw(struct knell_check_plan *plan, enum knell_edge edge, uint64_t key)
{
    struct knell_prng prng;
    memset(plan, 0, sizeof *plan);
    knell_prng_seed(&prng, key);
    draw_config(plan, &prng);
    draw_ring(plan, &prng);
    if (edge == KNELL_EDGE_SPLITS) {
        knell__check_splits_draw(plan, &prng);
        qsort(plan->act, plan->acts, sizeof *plan->act, by_time);
        return;
    }
    knell_time from = 2 * plan->config.eta;
    knell_time window = one_in(&prng, 3) ? (knell_time)20 * TAU : plan->config.delta * (1 + below(&prng, 3));
    draw_deaths(plan, &prng, from, window);
    draw_groups(plan, &prng, from, window);
    knell__check_edges_draw(plan, edge, key, from, window);
    for (knell_rank node = 0; plan->ops && node < plan->config.ranks; node++)
        knell__check_act(plan, from + (knell_time)knell_prng_below(&prng, (uint64_t)window), KNELL_ACT_PROCEED, node,
                         0);
    qsort(plan->act, plan->acts, sizeof *plan->act, by_time);
}
