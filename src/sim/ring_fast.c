/* ring_fast: the papers' abstraction of a run, for 10,000 runs at every size: no messages, no nodes, only the few observers
 * next to the dead. Heartbeats are known by their phase, a detection is known to all tau log n later.
 *
 * The one place where the protocol is modelled a second time; a test compares it with ring_full.c on the same failures.
 * What it leaves out: broadcasts cut by further deaths, differing knowledge, contention. Natural ring order only. */
#include "sim/bounds.h"
#include "sim/grow.h"
#include "sim/ring.h"

#include <math.h>
#include <stdlib.h>

/* A node that died, or one that had to take a new emitter. */
struct dead_node {
    knell_rank rank;
    bool known;
};
struct observer {
    knell_rank rank;
    knell_rank emitter;
    knell_time since; /* when it connected */
};
struct beats {
    knell_rank rank;
    knell_time anchor; /* heartbeats at anchor + k eta, and none to the new observer before */
};

struct knell_ring_fast {
    struct knell_ring_plan plan;
    struct knell_failures failures;
    struct knell_heap timeouts; /* value: index into observer */
    struct dead_node *dead;
    struct observer *observer;
    struct beats *beats;
    uint32_t deads, observers, beatss, room;
    uint32_t unknown; /* dead ones nobody has found yet */
    uint64_t key;
    struct knell_prng prng;
};

enum { LATENCY = 4 };

static struct dead_node *find_dead(struct knell_ring_fast *fast, knell_rank rank)
{
    for (uint32_t i = 0; i < fast->deads; i++)
        if (fast->dead[i].rank == rank)
            return &fast->dead[i];
    return NULL;
}

static struct observer *find_observer(struct knell_ring_fast *fast, knell_rank rank)
{
    for (uint32_t i = 0; i < fast->observers; i++)
        if (fast->observer[i].rank == rank)
            return &fast->observer[i];
    return NULL;
}

static struct beats *find_beats(struct knell_ring_fast *fast, knell_rank rank)
{
    for (uint32_t i = 0; i < fast->beatss; i++)
        if (fast->beats[i].rank == rank)
            return &fast->beats[i];
    return NULL;
}

static knell_rank before(const struct knell_ring_fast *fast, knell_rank rank)
{
    return rank ? rank - 1 : fast->plan.config.ranks - 1;
}

static struct observer *observer_of(struct knell_ring_fast *fast, knell_rank rank)
{
    struct observer *found = find_observer(fast, rank);
    if (found)
        return found;
    fast->observer[fast->observers] = (struct observer){rank, before(fast, rank), INT64_MIN};
    return &fast->observer[fast->observers++];
}

/* Each failure adds at most two of each. */
static bool reserve(struct knell_ring_fast *fast)
{
    if (fast->deads + 2 <= fast->room && 2 * fast->deads + 4 <= fast->room)
        return true;
    uint32_t room = fast->room ? 2 * fast->room : 64;
    struct dead_node *dead = realloc(fast->dead, room * sizeof *dead);
    if (dead)
        fast->dead = dead;
    struct observer *observer = realloc(fast->observer, room * sizeof *observer);
    if (observer)
        fast->observer = observer;
    struct beats *beats = realloc(fast->beats, room * sizeof *beats);
    if (beats)
        fast->beats = beats;
    if (!dead || !observer || !beats)
        return false;
    fast->room = room;
    return true;
}

static void set_timeout(struct knell_ring_fast *fast, knell_time when, const struct observer *observer)
{
    if (knell__heap_reserve(&fast->timeouts))
        knell_heap_put(&fast->timeouts, when, observer->emitter, (uint32_t)(observer - fast->observer));
}

/* The emission time of the last heartbeat `rank` sent by `now` to the one who connected at `since`; KNELL_NEVER if none. */
static knell_time last_beat(struct knell_ring_fast *fast, knell_rank rank, knell_time now, knell_time since)
{
    knell_time eta = fast->plan.config.eta;
    const struct beats *beats = find_beats(fast, rank);
    knell_time anchor = beats ? beats->anchor : knell_world_phase(fast->key, rank, eta);
    if (since != INT64_MIN && anchor > now)
        return KNELL_NEVER;
    return anchor + (now - anchor) / eta * eta;
}

static void take_emitter(struct knell_ring_fast *fast, struct observer *observer, knell_time now)
{
    knell_rank rank = observer->emitter;
    const struct dead_node *dead;
    while ((dead = find_dead(fast, rank)) && dead->known)
        rank = before(fast, rank);
    observer->emitter = rank;
    observer->since = now;
    if (rank == observer->rank)
        return;
    if (dead) {
        set_timeout(fast, now + 2 * fast->plan.config.delta, observer);
        return;
    }
    struct beats *beats = find_beats(fast, rank);
    if (!beats)
        beats = &fast->beats[fast->beatss++];
    *beats = (struct beats){rank, now + 1 + (knell_time)knell_prng_below(&fast->prng, (uint64_t)fast->plan.config.tau)};
}

static void fail(struct knell_ring_fast *fast, const struct knell_failure *failure, knell_time now)
{
    const struct knell_config *config = &fast->plan.config;
    fast->dead[fast->deads++] = (struct dead_node){failure->rank, false};
    fast->unknown++;
    knell_rank next = failure->rank;
    do
        next = next + 1 < config->ranks ? next + 1 : 0;
    while (find_dead(fast, next));
    struct observer *observer = observer_of(fast, next);
    if (observer->emitter != failure->rank)
        return; /* it waits for another dead one, and will come to this one */
    knell_time beat = last_beat(fast, failure->rank, now, observer->since);
    set_timeout(fast, beat == KNELL_NEVER ? observer->since + 2 * config->delta : beat + config->delta, observer);
}

/* True: a dead node was found. */
static bool time_out(struct knell_ring_fast *fast, knell_time now)
{
    uint64_t emitter = fast->timeouts.entry[0].number;
    struct observer *observer = &fast->observer[knell_heap_take(&fast->timeouts)];
    struct dead_node *dead = find_dead(fast, (knell_rank)emitter);
    if (observer->emitter != emitter || find_dead(fast, observer->rank) || dead->known)
        return false;
    dead->known = true;
    fast->unknown--;
    take_emitter(fast, observer, now);
    return true;
}

struct knell_ring_fast *knell_ring_fast_new(const struct knell_ring_plan *plan)
{
    struct knell_ring_fast *fast = calloc(1, sizeof *fast);
    if (fast)
        fast->plan = *plan;
    return fast;
}

void knell_ring_fast_free(struct knell_ring_fast *fast)
{
    if (!fast)
        return;
    knell_failures_free(&fast->failures);
    free(fast->timeouts.entry);
    free(fast->dead);
    free(fast->observer);
    free(fast->beats);
    free(fast);
}

static void begin(struct knell_ring_fast *fast, uint64_t key)
{
    fast->key = key;
    fast->deads = fast->observers = fast->beatss = fast->unknown = 0;
    fast->timeouts.count = 0;
    knell_prng_seed(&fast->prng, knell_prng_key(key, LATENCY));
    knell_failures_begin(&fast->failures, &fast->plan.failures, key);
}

void knell_ring_fast_run(struct knell_ring_fast *fast, uint64_t key, struct knell_ring_result *result)
{
    const struct knell_config *config = &fast->plan.config;
    knell_time origin = knell_ring_origin(config), unstable_since = 0, stable = 0, first = KNELL_NEVER;
    knell_time spread = (knell_time)ceil((double)config->tau * log2(config->ranks));
    uint32_t unstable_deaths = 0;
    struct knell_failure next;
    *result = (struct knell_ring_result){0};
    begin(fast, key);
    bool has_next = knell_failures_next(&fast->failures, &next);
    knell_time began = has_next ? origin + next.time : origin;
    for (;;) {
        knell_time timeout = knell_heap_key(&fast->timeouts);
        if (fast->unknown == 0 && result->failures &&
            (!has_next || (fast->plan.failures.kind == KNELL_FAILURES_MTBF && origin + next.time > stable)))
            break;
        if (!reserve(fast)) {
            result->no_memory = true;
            return;
        }
        if (has_next && origin + next.time <= timeout) {
            if (fast->unknown == 0 && origin + next.time > stable) {
                unstable_since = origin + next.time;
                unstable_deaths = 0;
            }
            unstable_deaths++;
            result->failures++;
            fail(fast, &next, origin + next.time);
            has_next = knell_failures_next(&fast->failures, &next);
        } else if (time_out(fast, timeout)) {
            result->events++;
            if (fast->dead[0].known && first == KNELL_NEVER)
                first = timeout + spread;
            if (fast->unknown > 0)
                continue;
            stable = timeout + spread;
            if (!(has_next && origin + next.time <= stable) &&
                stable - unstable_since > knell_ring_bound(config, unstable_deaths))
                result->bound_broken++;
        }
    }
    result->first_s = (double)(first - began) * 1e-9;
    result->stable_s = (double)(stable - began) * 1e-9;
}
