/* See broadcast.h. The broadcast is the source's clean departure: the one broadcast that a node starts of itself and that
 * names nobody else. It is over long before any heartbeat is due. */
#include "sim/broadcast.h"

#include <stdlib.h>

enum { TAU = 1000, CHOICE = 5 };

struct knell_broadcast_run {
    struct knell_broadcast_plan plan;
    struct knell_world *world;
    struct knell_broadcast_result *result;
    knell_rank source;
    knell_time began;
    uint8_t hops; /* of the message being delivered */
    uint32_t informed;
};

struct knell_broadcast_run *knell_broadcast_run_new(const struct knell_broadcast_plan *plan)
{
    struct knell_limits limits = knell_limits_default();
    struct knell_config config = {
        .ranks = plan->nodes,
        .eta = INT64_C(1000000) * TAU,
        .delta = INT64_C(10000000) * TAU,
        .tau = TAU,
        .overlay = plan->overlay,
        .beats = KNELL_BEATS_POSTED,
    };
    struct knell_broadcast_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    run->plan = *plan;
    run->world = knell_world_new(&config, plan->network, &limits);
    if (run->world)
        return run;
    free(run);
    return NULL;
}

void knell_broadcast_run_free(struct knell_broadcast_run *run)
{
    if (run)
        knell_world_free(run->world);
    free(run);
}

static double since_tau(const struct knell_broadcast_run *run)
{
    return (double)(run->world->now - run->began) / TAU;
}

static void on_delivered(void *context, struct knell_world *world, const struct knell_delivery *delivery,
                         const struct knell_body *body)
{
    struct knell_broadcast_run *run = context;
    (void)world;
    if (body->type != KNELL_MESSAGE_BROADCAST)
        return;
    run->hops = delivery->route.hops;
    run->result->all_copies_tau = since_tau(run);
}

static void on_fact(void *context, struct knell_world *world, knell_rank node, const struct knell_fact *fact)
{
    struct knell_broadcast_run *run = context;
    (void)world;
    (void)node;
    if (fact->type != KNELL_FACT_LEFT || fact->rank != run->source)
        return;
    run->informed++;
    run->result->informed_tau = since_tau(run);
    if (run->hops > run->result->max_hops)
        run->result->max_hops = run->hops;
}

static void choose_dead(struct knell_broadcast_run *run, struct knell_prng *prng)
{
    for (uint32_t killed = 0; killed < run->plan.dead;) {
        knell_rank rank = (knell_rank)knell_prng_below(prng, run->plan.nodes);
        if (rank == run->source || !run->world->alive[rank])
            continue;
        knell_world_crash(run->world, rank);
        killed++;
    }
}

void knell_broadcast_run_one(struct knell_broadcast_run *run, uint64_t key, struct knell_broadcast_result *result)
{
    struct knell_watch watch = {.context = run, .fact = on_fact, .delivered = on_delivered};
    struct knell_world *world = run->world;
    struct knell_prng prng;
    *result = (struct knell_broadcast_result){0};
    knell_prng_seed(&prng, knell_prng_key(key, CHOICE));
    knell_world_begin(world, key, &watch);
    run->result = result;
    run->informed = 0;
    run->source = (knell_rank)knell_prng_below(&prng, run->plan.nodes);
    choose_dead(run, &prng);
    run->began = world->now;
    knell_world_step(world, run->source, &(struct knell_event){.type = KNELL_EVENT_LEAVE});
    while (knell_world_is_busy(world) && knell_world_run_one(world))
        ;
    result->messages = (double)world->sent[KNELL_MESSAGE_BROADCAST];
    result->missed = run->plan.nodes - 1 - run->plan.dead - run->informed;
    result->no_memory = world->broken;
}
