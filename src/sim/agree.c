/* See agree.h. All propose at time 0. Crashes fall at random into the time a failure-free agreement takes, half of them in the
 * middle of a send. The kernel of the next living node on the ring sees each death within tau and reports it; the detector
 * with its heartbeats stands behind that. */
#include "sim/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAU = 1000, ETA = 100 * TAU, DELTA = 1000 * TAU, CHOICE = 6, COMPARISONS = 64 };

struct crash {
    knell_time time;
    knell_rank rank;
    uint32_t after; /* messages it still sends in the step it dies in; UINT32_MAX: it dies between steps */
    bool done;      /* it is dead, */
    bool seen;      /* and its observer was told */
};

struct knell_agree_run {
    struct knell_agree_plan plan;
    struct knell_world *world;
    struct knell_agree_result *result;
    struct crash *crash;
    uint64_t *brought;  /* by rank: its contribution */
    uint64_t *returned; /* by rank: what it returned, */
    bool *has_returned;
    uint32_t undecided; /* living nodes that have not */
};

struct knell_agree_run *knell_agree_run_new(const struct knell_agree_plan *plan)
{
    struct knell_limits limits = knell_limits_default();
    struct knell_config config = {
        .ranks = plan->nodes, .eta = ETA, .delta = DELTA, .tau = TAU, .beats = KNELL_BEATS_POSTED};
    struct knell_agree_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    limits.agreements = 1;
    limits.value_bytes = sizeof(uint64_t);
    run->plan = *plan;
    run->world = knell_world_new(&config, KNELL_NETWORK_LATENCY, &limits);
    run->crash = calloc(plan->crashes + 1, sizeof *run->crash);
    run->brought = calloc(plan->nodes, sizeof *run->brought);
    run->returned = calloc(plan->nodes, sizeof *run->returned);
    run->has_returned = calloc(plan->nodes, sizeof *run->has_returned);
    if (run->world && run->crash && run->brought && run->returned && run->has_returned)
        return run;
    knell_agree_run_free(run);
    return NULL;
}

void knell_agree_run_free(struct knell_agree_run *run)
{
    if (!run)
        return;
    knell_world_free(run->world);
    free(run->crash);
    free(run->brought);
    free(run->returned);
    free(run->has_returned);
    free(run);
}

static void on_fact(void *context, struct knell_world *world, knell_rank node, const struct knell_fact *fact)
{
    struct knell_agree_run *run = context;
    if (fact->type != KNELL_FACT_DECIDED || !world->alive[node])
        return;
    memcpy(&run->returned[node], fact->value, sizeof run->returned[node]);
    run->has_returned[node] = true;
    run->undecided--;
    run->result->latency_tau = (double)world->now / TAU;
}

/* ---- crashes ----------------------------------------------------------------------------------------------------------------- */

static void draw_crashes(struct knell_agree_run *run, struct knell_prng *prng)
{
    double usual = 2 * (log2(run->plan.nodes) + 1) * TAU;
    for (uint32_t i = 0; i < run->plan.crashes; i++) {
        bool again;
        do {
            run->crash[i].rank = (knell_rank)knell_prng_below(prng, run->plan.nodes);
            again = false;
            for (uint32_t k = 0; k < i; k++)
                again |= run->crash[k].rank == run->crash[i].rank;
        } while (again);
        run->crash[i].time = (knell_time)(knell_prng_unit(prng) * usual);
        run->crash[i].after = knell_prng_below(prng, 2) ? (uint32_t)knell_prng_below(prng, 4) : UINT32_MAX;
        run->crash[i].done = run->crash[i].seen = false;
        knell_world_alarm(run->world, run->crash[i].time);
    }
}

static void on_crashed(void *context, struct knell_world *world, knell_rank rank)
{
    struct knell_agree_run *run = context;
    if (!run->has_returned[rank])
        run->undecided--;
    for (uint32_t i = 0; i < run->plan.crashes; i++)
        if (run->crash[i].rank == rank)
            run->crash[i].done = true;
    knell_world_alarm(world, world->now + 1 + (knell_time)knell_prng_below(&world->prng, TAU));
}

static knell_rank living_after(const struct knell_world *world, knell_rank rank)
{
    do
        rank = rank + 1 < world->config.ranks ? rank + 1 : 0;
    while (!world->alive[rank]);
    return rank;
}

static void report(struct knell_world *world, struct crash *crash)
{
    struct knell_event suspect = {.type = KNELL_EVENT_SUSPECT};
    suspect.as.suspect.rank = crash->rank;
    suspect.as.suspect.why = KNELL_WHY_KERNEL;
    crash->seen = true;
    knell_world_step(world, living_after(world, crash->rank), &suspect);
}

/* One alarm per death to come, one per death to be seen. */
static void on_alarm(void *context, struct knell_world *world)
{
    struct knell_agree_run *run = context;
    for (uint32_t i = 0; i < run->plan.crashes; i++) {
        struct crash *crash = &run->crash[i];
        if (crash->done && !crash->seen && world->died[crash->rank] < world->now)
            report(world, crash);
        else if (!crash->done && crash->time <= world->now && crash->after == UINT32_MAX)
            knell_world_crash(world, crash->rank);
        else if (!crash->done && crash->time <= world->now)
            knell_world_doom(world, crash->rank, crash->after);
    }
}

/* ---- a run ------------------------------------------------------------------------------------------------------------------- */

/* Everybody contributes all ones but for a few random zeros: a lost or a foreign contribution shows in the AND. */
static void propose_all(struct knell_agree_run *run, struct knell_prng *prng)
{
    struct knell_event propose = {.type = KNELL_EVENT_PROPOSE};
    propose.as.propose.kind = KNELL_KIND_AGREE;
    propose.as.propose.size = sizeof(uint64_t);
    for (knell_rank rank = 0; rank < run->plan.nodes; rank++) {
        run->brought[rank] = ~UINT64_C(0);
        if (knell_prng_below(prng, run->plan.nodes) < 8)
            run->brought[rank] = ~(UINT64_C(1) << knell_prng_below(prng, 64));
        run->has_returned[rank] = false;
    }
    run->undecided = run->plan.nodes;
    for (knell_rank rank = 0; rank < run->plan.nodes; rank++) {
        propose.as.propose.value = (const uint8_t *)&run->brought[rank];
        knell_world_step(run->world, rank, &propose);
    }
}

/* Agreement, validity, termination, among the living. */
static uint32_t judge(const struct knell_agree_run *run)
{
    const struct knell_world *world = run->world;
    uint64_t least = ~UINT64_C(0), most = ~UINT64_C(0), value = 0;
    uint32_t violations = 0;
    bool has_value = false;
    for (knell_rank rank = 0; rank < run->plan.nodes; rank++) {
        least &= run->brought[rank];
        if (!world->alive[rank])
            continue;
        most &= run->brought[rank];
        if (!run->has_returned[rank]) {
            violations++;
            continue;
        }
        violations += has_value && run->returned[rank] != value;
        value = run->returned[rank];
        has_value = true;
    }
    return violations + (has_value && ((value & ~most) || (least & ~value)));
}

void knell_agree_run_one(struct knell_agree_run *run, uint64_t key, struct knell_agree_result *result)
{
    struct knell_watch watch = {.context = run, .fact = on_fact, .crashed = on_crashed, .timer = on_alarm};
    struct knell_world *world = run->world;
    struct knell_prng prng;
    *result = (struct knell_agree_result){0};
    run->result = result;
    knell_prng_seed(&prng, knell_prng_key(key, CHOICE));
    knell_world_begin(world, key, &watch);
    draw_crashes(run, &prng);
    propose_all(run, &prng);
    for (unsigned comparisons = 0; run->undecided > 0;) {
        if (!knell_world_is_busy(world) && knell_heap_key(&world->timers) == KNELL_NEVER &&
            (knell_world_compare_neighbours(world) == 0 || ++comparisons > COMPARISONS))
            break;
        if (!knell_world_run_one(world))
            break;
    }
    result->messages = (double)(world->sent[KNELL_MESSAGE_UP] + world->sent[KNELL_MESSAGE_DOWN]);
    result->violations = judge(run);
    result->no_memory = world->broken;
}
