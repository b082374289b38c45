/* ring_full: a run of the detector with every message through the protocol core. Who knows what is judged here, by the
 * truth of the world, not by the nodes' word. */
#include "sim/bounds.h"
#include "sim/ring.h"

#include <stdlib.h>
#include <string.h>

struct death {
    knell_rank rank;
    knell_time time;
    uint32_t known; /* living nodes that hold it for dead */
    bool told;      /* the log has heard that all know */
};

struct knell_ring_full {
    struct knell_ring_plan plan;
    struct knell_world *world;
    struct knell_failures failures;
    struct knell_failure next;
    bool has_next;
    knell_time origin;
    struct death *death;
    uint32_t deaths, room;
    uint32_t complete;         /* deaths that every living node knows of */
    uint32_t *death_of;        /* by rank: its number + 1, 0 for the living */
    knell_time unstable_since; /* KNELL_NEVER: stable */
    uint32_t unstable_deaths;  /* of this unstable time */
    uint32_t idle_rounds;      /* comparisons of neighbours in a row without news */
    bool done;
    struct knell_ring_result *result;
};

knell_time knell_ring_origin(const struct knell_config *config)
{
    return 2 * config->eta;
}

knell_time knell_ring_bound(const struct knell_config *config, uint32_t failures)
{
    double tau = (double)config->tau * 1e-9, delta = (double)config->delta * 1e-9;
    if (!knell_bounds_valid((double)config->eta * 1e-9, tau) || failures > knell_bounds_f_max(config->ranks))
        return KNELL_NEVER;
    double ns = knell_bounds_consecutive(config->ranks, failures, delta, tau) * 1e9;
    return ns < 0x1p62 ? (knell_time)ns + 1 : KNELL_NEVER;
}

static void log_event(struct knell_ring_full *full, enum knell_ring_event_type type, knell_rank rank, knell_rank by)
{
    if (full->plan.log)
        full->plan.log(full->plan.log_context,
                       &(struct knell_ring_event){type, full->world->now - full->origin, rank, by});
}

static double since_first_s(const struct knell_ring_full *full)
{
    return (double)(full->world->now - full->death[0].time) * 1e-9;
}

/* ---- the truth --------------------------------------------------------------------------------------------------------------- */

/* Kept, not computed: after each event it is asked for. */
static bool all_know(const struct knell_ring_full *full)
{
    return full->complete == full->deaths;
}

/* Some nodes know of a death and others do not. */
static bool some_know(const struct knell_ring_full *full)
{
    for (uint32_t i = 0; i < full->deaths; i++)
        if (full->death[i].known > 0 && full->death[i].known != full->world->living)
            return true;
    return false;
}

static knell_rank neighbour(const struct knell_world *world, knell_rank rank, bool after)
{
    uint32_t n = world->config.ranks;
    do
        rank = after ? (rank + 1 < n ? rank + 1 : 0) : (rank ? rank - 1 : n - 1);
    while (!world->alive[rank]);
    return rank;
}

/* Every living node next to a dead one watches, and beats to, its closest living neighbours. */
static bool ring_is_whole(const struct knell_ring_full *full)
{
    const struct knell_world *world = full->world;
    for (uint32_t i = 0; i < full->deaths && world->living > 1; i++) {
        knell_rank before = neighbour(world, full->death[i].rank, false),
                   after = neighbour(world, full->death[i].rank, true);
        if (knell_node_emitter(world->node[after]) != before || knell_node_observer(world->node[before]) != after)
            return false;
    }
    return true;
}

static void check_stable(struct knell_ring_full *full)
{
    knell_time now = full->world->now;
    if (full->unstable_since == KNELL_NEVER || !all_know(full) || !ring_is_whole(full))
        return;
    log_event(full, KNELL_RING_STABLE, KNELL_NOBODY, KNELL_NOBODY);
    if (now - full->unstable_since > knell_ring_bound(&full->plan.config, full->unstable_deaths))
        full->result->bound_broken++;
    full->unstable_since = KNELL_NEVER;
    full->result->stable_s = since_first_s(full);
    full->done = full->plan.failures.kind == KNELL_FAILURES_MTBF || !full->has_next;
}

static void note_known(struct knell_ring_full *full, struct death *death)
{
    if (death->known != full->world->living)
        return;
    full->complete++;
    if (death->told)
        return;
    death->told = true;
    log_event(full, KNELL_RING_KNOWN, death->rank, KNELL_NOBODY);
    if (death == &full->death[0])
        full->result->first_s = since_first_s(full);
}

static void on_fact(void *context, struct knell_world *world, knell_rank node, const struct knell_fact *fact)
{
    struct knell_ring_full *full = context;
    full->idle_rounds = 0;
    if (fact->type == KNELL_FACT_FENCED || (fact->type == KNELL_FACT_FAILED && world->alive[fact->rank]))
        full->result->suspected_living++;
    if (fact->type != KNELL_FACT_FAILED || world->alive[fact->rank])
        return;
    if (fact->by == node)
        log_event(full, KNELL_RING_DETECTION, fact->rank, node);
    struct death *death = &full->death[full->death_of[fact->rank] - 1];
    death->known++;
    note_known(full, death);
}

/* ---- dying ------------------------------------------------------------------------------------------------------------------- */

static bool reserve_death(struct knell_ring_full *full)
{
    if (full->deaths < full->room)
        return true;
    uint32_t room = full->room ? 2 * full->room : 32;
    struct death *death = realloc(full->death, room * sizeof *death);
    if (!death)
        return false;
    full->death = death;
    full->room = room;
    return true;
}

static void plan_next(struct knell_ring_full *full)
{
    full->has_next = knell_failures_next(&full->failures, &full->next);
    if (full->has_next)
        knell_world_alarm(full->world, full->origin + full->next.time);
}

/* What the dying node knew, one living node fewer knows now. */
static void forget_knowledge(struct knell_ring_full *full, knell_rank rank)
{
    for (uint32_t i = 0; i < full->deaths; i++)
        if (knell_node_is_gone(full->world->node[rank], full->death[i].rank))
            full->death[i].known--;
}

static void on_alarm(void *context, struct knell_world *world)
{
    struct knell_ring_full *full = context;
    knell_rank rank = full->next.rank;
    if (!reserve_death(full)) {
        world->broken = true;
        return;
    }
    if (full->unstable_since == KNELL_NEVER) {
        full->unstable_since = world->now;
        full->unstable_deaths = 0;
    }
    full->unstable_deaths++;
    full->result->failures++;
    forget_knowledge(full, rank);
    log_event(full, KNELL_RING_FAILURE, rank, KNELL_NOBODY);
    full->death[full->deaths] = (struct death){.rank = rank, .time = world->now};
    full->death_of[rank] = ++full->deaths;
    full->idle_rounds = 0;
    knell_world_crash(world, rank);
    full->complete = 0;
    for (uint32_t i = 0; i < full->deaths; i++)
        note_known(full, &full->death[i]);
    plan_next(full);
}

/* ---- a run ------------------------------------------------------------------------------------------------------------------- */

struct knell_ring_full *knell_ring_full_new(const struct knell_ring_plan *plan)
{
    struct knell_limits limits = knell_limits_default();
    struct knell_ring_full *full = calloc(1, sizeof *full);
    if (!full)
        return NULL;
    full->plan = *plan;
    full->world = knell_world_new(&plan->config, plan->network, &limits);
    full->death_of = calloc(plan->config.ranks, sizeof *full->death_of);
    if (!full->world || !full->death_of) {
        knell_ring_full_free(full);
        return NULL;
    }
    return full;
}

void knell_ring_full_free(struct knell_ring_full *full)
{
    if (!full)
        return;
    knell_world_free(full->world);
    knell_failures_free(&full->failures);
    free(full->death);
    free(full->death_of);
    free(full);
}

/* Simulated heartbeats never cease: after this a death that is not known to all will never be. */
static knell_time longest_ns(const struct knell_ring_full *full)
{
    const struct knell_config *config = &full->plan.config;
    double f = full->deaths;
    double ns = (f + 2) * (f + 3) * (double)config->delta + 64 * (double)config->eta;
    return ns < 0x1p62 ? (knell_time)ns : KNELL_NEVER;
}

/* Elided heartbeats: when nothing is on its way, differing neighbours are what may still bring news. */
static bool heal(struct knell_ring_full *full)
{
    if (full->plan.config.beats != KNELL_BEATS_POSTED || knell_world_is_busy(full->world) || !some_know(full))
        return true;
    /* Without a difference the next timeout goes on; hopeless are only heartbeats that tell of one and change nothing. */
    return knell_world_compare_neighbours(full->world) == 0 || ++full->idle_rounds <= 16;
}

/* All know; the copies that are still on their way are delivered too: `events` counts what a failure costs. */
static void drain(struct knell_ring_full *full)
{
    struct knell_world *world = full->world;
    while (full->done && full->plan.config.beats == KNELL_BEATS_POSTED && knell_world_is_busy(world) &&
           knell_queue_next(world->queue) <= knell_heap_key(&world->timers) && knell_world_run_one(world))
        ;
}

void knell_ring_full_run(struct knell_ring_full *full, uint64_t key, struct knell_ring_result *result)
{
    struct knell_watch watch = {.context = full, .fact = on_fact, .timer = on_alarm};
    struct knell_world *world = full->world;
    *result = (struct knell_ring_result){0};
    for (uint32_t i = 0; i < full->deaths; i++)
        full->death_of[full->death[i].rank] = 0;
    full->result = result;
    full->deaths = full->complete = 0;
    full->done = false;
    full->idle_rounds = 0;
    full->unstable_since = KNELL_NEVER;
    full->origin = knell_ring_origin(&full->plan.config);
    knell_world_begin(world, key, &watch);
    knell_failures_begin(&full->failures, &full->plan.failures, key);
    plan_next(full);
    while (!full->done && heal(full) && knell_world_run_one(world)) {
        check_stable(full);
        if (full->deaths && world->now - full->death[full->deaths - 1].time > longest_ns(full) && !full->has_next)
            break;
    }
    drain(full);
    result->never_known = !full->done && full->unstable_since != KNELL_NEVER;
    result->events = world->events;
    result->broadcasts = world->counters.broadcasts_started;
    result->messages = world->counters.messages_sent;
    result->no_memory = world->broken;
}
