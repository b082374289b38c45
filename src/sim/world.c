/* world: see world.h. */
#include "sim/world.h"

#include "sim/grow.h"
#include "sim/outage.h"

#include <knell/wire.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALARM UINT32_MAX
#define SETTLED (UINT32_C(1) << 31) /* in a delivery's body: it has had its turn at the receiver's port */
enum { PHASE = 1, DELAY = 2, WIRE_RANGES = 16 };
enum { HUGE_PAGE = 2 << 20, AREAS = 192 /* where a node keeps what a broadcast touches, beside its first two lines */ };

/* ---- making ---------------------------------------------------------------------------------------------------------------- */

/* Nodes are visited at random: without large pages the address translation costs more than the visit. */
static void *huge_alloc(size_t size)
{
    if (size < HUGE_PAGE)
        return aligned_alloc(64, size);
    size = (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    void *memory = aligned_alloc(HUGE_PAGE, size);
    if (memory)
        madvise(memory, size, MADV_HUGEPAGE); /* only a hint */
    return memory;
}

struct knell_world *knell_world_new(const struct knell_config *config, enum knell_network network,
                                    const struct knell_limits *limits)
{
    struct knell_world *world = calloc(1, sizeof *world);
    if (!world || knell_config_check(config, NULL) != 0)
        goto fail;
    size_t n = config->ranks;
    world->config = *config;
    world->network = network;
    world->limits = *limits;
    world->stride = (knell_node_size(limits) + 63) & ~(size_t)63;
    world->slab = huge_alloc(n * world->stride);
    world->node = calloc(n, sizeof *world->node);
    world->alive = calloc(n, sizeof *world->alive);
    world->doom = calloc(n, sizeof *world->doom);
    world->died = calloc(n, sizeof *world->died);
    world->queue = knell_queue_new(network == KNELL_NETWORK_ONEPORT ? 128 * config->tau : config->tau);
    if (network == KNELL_NETWORK_ONEPORT) {
        world->send_free = calloc(n, sizeof *world->send_free);
        world->receive_free = calloc(n, sizeof *world->receive_free);
    }
    if (!world->slab || !world->node || !world->alive || !world->doom || !world->died || !world->queue ||
        (network == KNELL_NETWORK_ONEPORT && (!world->send_free || !world->receive_free)))
        goto fail;
    return world;
fail:
    knell_world_free(world);
    return NULL;
}

static bool is_in_slab(const struct knell_world *world, const struct knell_node *node)
{
    const char *at = (const char *)node;
    return at >= world->slab && at < world->slab + world->config.ranks * world->stride;
}

static void free_grown(struct knell_world *world)
{
    for (uint32_t i = 0; world->node && i < world->config.ranks; i++)
        if (world->node[i] && !is_in_slab(world, world->node[i]))
            free(world->node[i]);
}

void knell_world_free(struct knell_world *world)
{
    if (!world)
        return;
    free_grown(world);
    knell_queue_free(world->queue);
    knell_bodies_free(&world->bodies);
    free(world->timers.entry);
    free(world->slab);
    free(world->node);
    free(world->alive);
    free(world->doom);
    free(world->died);
    free(world->send_free);
    free(world->receive_free);
    free(world);
}

knell_time knell_world_phase(uint64_t key, knell_rank rank, knell_time eta)
{
    uint64_t bits = knell_prng_at(knell_prng_key(key, PHASE), rank);
    return (knell_time)(((unsigned __int128)bits * (uint64_t)eta) >> 64);
}

static void set_timer(struct knell_world *world, knell_time when, uint32_t value)
{
    if (!knell__heap_reserve(&world->timers)) {
        world->broken = true;
        return;
    }
    knell_heap_put(&world->timers, when, world->timer_number++, value);
}

static void begin_node(struct knell_world *world, uint64_t key, knell_rank rank)
{
    struct knell_event start = {.type = KNELL_EVENT_START};
    int error = knell_node_init(world->slab + rank * world->stride, &world->limits, &world->config, rank,
                                &world->counters, &world->node[rank]);
    assert(error == 0);
    start.as.start.first_heartbeat = knell_world_phase(key, rank, world->config.eta);
    error = knell_world_step(world, rank, &start);
    assert(error == 0);
    if (world->config.beats == KNELL_BEATS_SENT)
        set_timer(world, knell_node_deadline(world->node[rank]), rank);
}

void knell_world_begin(struct knell_world *world, uint64_t key, const struct knell_watch *watch)
{
    size_t n = world->config.ranks;
    free_grown(world);
    knell_queue_clear(world->queue);
    knell_bodies_clear(&world->bodies);
    world->timers.count = 0;
    world->timer_number = 0;
    world->now = 0;
    world->events = 0;
    world->broken = false;
    world->counters = (struct knell_counters){0};
    memset(world->sent, 0, sizeof world->sent);
    world->watch = *watch;
    world->living = (uint32_t)n;
    world->cut = UINT32_MAX;
    world->stepping_body = NULL;
    memset(world->alive, 1, n * sizeof *world->alive);
    memset(world->doom, 0, n * sizeof *world->doom);
    world->doomed = 0;
    if (world->send_free) {
        memset(world->send_free, 0, n * sizeof *world->send_free);
        memset(world->receive_free, 0, n * sizeof *world->receive_free);
    }
    knell_prng_seed(&world->prng, knell_prng_key(key, DELAY));
    for (uint32_t rank = 0; rank < n; rank++)
        begin_node(world, key, rank);
}

/* ---- the network ----------------------------------------------------------------------------------------------------------- */

static knell_time arrival(struct knell_world *world, knell_rank from)
{
    knell_time tau = world->config.tau;
    if (world->network == KNELL_NETWORK_LATENCY)
        return world->now + 1 + (knell_time)knell_prng_below(&world->prng, (uint64_t)tau);
    if (world->network == KNELL_NETWORK_EXTREME)
        return world->now + (knell_prng_next(&world->prng) >> 63 ? 1 : tau);
    knell_time departs = world->send_free[from] > world->now ? world->send_free[from] : world->now;
    world->send_free[from] = departs + tau;
    return departs + tau;
}

static void put(struct knell_world *world, const struct knell_delivery *delivery, uint32_t mark)
{
    struct knell_delivery marked = *delivery;
    marked.body |= mark;
    if (knell_queue_put(world->queue, world->now, &marked))
        knell_bodies_hold(&world->bodies, delivery->body, 1);
    else
        world->broken = true;
}

/* sink.send. What a node forwards is the body it was given: that one is shared. */
static void on_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                    const struct knell_body *body)
{
    struct knell_world *world = driver;
    uint32_t index = world->stepping;
    if (body != world->stepping_body)
        index = knell_bodies_add(&world->bodies, body);
    if (index == KNELL_NO_BODY) {
        world->broken = true;
        return;
    }
    world->sent[body->type] += world->cut < count ? world->cut : count;
    world->connected |= body->type == KNELL_MESSAGE_NEW_OBSERVER;
    knell_bodies_hold(&world->bodies, index, 1);
    for (uint32_t i = 0; i < count && world->cut > 0; i++) {
        if (world->cut != UINT32_MAX)
            world->cut--;
        struct knell_delivery delivery = {world->now, to[i], index, *route};
        if (world->outage && knell__outage_drops(world->outage, route->from, to[i])) {
            knell__outage_hold_up(world, &delivery);
            continue;
        }
        delivery.time = arrival(world, route->from);
        put(world, &delivery, 0);
    }
    knell_bodies_release(&world->bodies, index);
}

void knell__world_send_again(struct knell_world *world, struct knell_delivery delivery)
{
    delivery.time = arrival(world, delivery.route.from);
    put(world, &delivery, 0);
}

/* One port: a message that has come waits until the ones before it are in. True: it is in now. */
static bool is_received(struct knell_world *world, struct knell_delivery *delivery)
{
    knell_time tau = world->config.tau, *free_at = &world->receive_free[delivery->to];
    knell_rank from = delivery->route.from;
    if (delivery->body & SETTLED) {
        delivery->body &= ~SETTLED;
        return true;
    }
    if (!world->alive[from] && world->died[from] < delivery->time - tau)
        return false; /* it had not left yet when its sender died */
    *free_at = (delivery->time - tau > *free_at ? delivery->time - tau : *free_at) + tau;
    if (*free_at == delivery->time)
        return true;
    struct knell_delivery later = *delivery;
    later.time = *free_at;
    put(world, &later, SETTLED);
    return false;
}

/* ---- stepping -------------------------------------------------------------------------------------------------------------- */

static void on_tell(void *driver, const struct knell_fact *fact)
{
    struct knell_world *world = driver;
    if (world->watch.fact)
        world->watch.fact(world->watch.context, world, world->stepper, fact);
}

static void grow_node(struct knell_world *world, knell_rank rank)
{
    struct knell_limits wanted = knell_node_wanted(world->node[rank]);
    void *memory = malloc(knell_node_size(&wanted));
    struct knell_node *old = world->node[rank];
    if (!memory || knell_node_move(old, memory, &wanted, &world->node[rank]) != 0) {
        free(memory);
        world->broken = true;
        return;
    }
    if (!is_in_slab(world, old))
        free(old);
}

/* Elided heartbeats: only who watches a dead node needs its deadline. */
static void watch_the_dead(struct knell_world *world, knell_rank rank)
{
    knell_rank emitter = knell_node_emitter(world->node[rank]);
    world->connected = false;
    if (world->config.beats == KNELL_BEATS_POSTED && emitter != KNELL_NOBODY && !world->alive[emitter])
        set_timer(world, knell_node_deadline(world->node[rank]), rank);
}

int knell_world_step(struct knell_world *world, knell_rank rank, struct knell_event *event)
{
    const struct knell_sink sink = {.driver = world, .send = on_send, .tell = on_tell};
    int error;
    event->now = world->now;
    world->stepper = rank;
    if (world->doomed && world->doom[rank])
        world->cut = world->doom[rank] - 1u;
    while ((error = knell_node_step(world->node[rank], event, &sink)) == KNELL_EFULL && !world->broken)
        grow_node(world, rank);
    if (world->connected)
        watch_the_dead(world, rank);
    if (world->cut != UINT32_MAX) {
        world->cut = UINT32_MAX;
        knell_world_crash(world, rank);
    }
    return error;
}

void knell_world_doom(struct knell_world *world, knell_rank rank, uint32_t messages)
{
    world->doomed += !world->doom[rank];
    world->doom[rank] = (uint8_t)(messages < UINT8_MAX - 1 ? messages + 1 : UINT8_MAX);
}

/* What a message is after its journey as bytes. */
struct bytes {
    uint8_t byte[KNELL_WIRE_MTU_MIN];
    struct knell_range range[4 * WIRE_RANGES];
    struct knell_body body;
};

static void pass_wire(struct knell_world *world, struct knell_event *event, struct bytes *bytes)
{
    struct knell_wire_cursor cursor = {0};
    struct knell_wire_part part;
    size_t used;
    int error = knell_wire_encode(&event->as.message.route, event->as.message.body, 0, &cursor, bytes->byte,
                                  sizeof bytes->byte, &used);
    assert(error == 0 && cursor.done);
    error = knell_wire_decode(bytes->byte, used, world->config.ranks, bytes->range, (size_t)4 * WIRE_RANGES, &part,
                              &event->as.message.route, &bytes->body);
    assert(error == 0 && part.whole);
    (void)error;
    event->as.message.body = &bytes->body;
}

static void deliver(struct knell_world *world, const struct knell_delivery *delivery)
{
    struct knell_event event = {.type = KNELL_EVENT_MESSAGE};
    struct bytes bytes;
    event.as.message.route = delivery->route;
    event.as.message.body = knell_bodies_get(&world->bodies, delivery->body);
    if (world->through_wire)
        pass_wire(world, &event, &bytes);
    world->stepping = delivery->body;
    world->stepping_body = event.as.message.body;
    world->events++;
    if (world->watch.delivered)
        world->watch.delivered(world->watch.context, world, delivery, event.as.message.body);
    if (world->alive[delivery->to])
        knell_world_step(world, delivery->to, &event);
    world->stepping_body = NULL;
}

/* ---- crashes --------------------------------------------------------------------------------------------------------------- */

/* The first living node after `rank` on the ring: only it can be watching `rank`. */
static knell_rank living_after(const struct knell_world *world, knell_rank rank)
{
    const struct knell_config *config = &world->config;
    uint32_t position = config->ring_position ? config->ring_position[rank] : rank;
    for (uint32_t i = 1; i < config->ranks; i++) {
        position = position + 1 < config->ranks ? position + 1 : 0;
        knell_rank next = config->ring_order ? config->ring_order[position] : position;
        if (world->alive[next])
            return next;
    }
    return KNELL_NOBODY;
}

/* Hands on the heartbeat that `from` emitted last. */
static void hand_heartbeat(struct knell_world *world, knell_rank from, knell_rank to)
{
    struct knell_body body;
    struct knell_event event = {.type = KNELL_EVENT_MESSAGE};
    event.as.message.route = (struct knell_route){.from = from, .hops = 1};
    event.as.message.body = &body;
    if (knell_node_heartbeat(world->node[from], world->now, &body))
        knell_world_step(world, to, &event);
}

void knell_world_crash(struct knell_world *world, knell_rank rank)
{
    if (!world->alive[rank])
        return;
    world->alive[rank] = false;
    world->died[rank] = world->now;
    world->living--;
    world->doomed -= world->doom[rank] != 0;
    world->doom[rank] = 0;
    if (world->watch.crashed)
        world->watch.crashed(world->watch.context, world, rank);
    knell_rank observer = living_after(world, rank);
    if (world->config.beats != KNELL_BEATS_POSTED || observer == KNELL_NOBODY ||
        knell_node_emitter(world->node[observer]) != rank)
        return;
    if (knell_node_observer(world->node[rank]) == observer)
        hand_heartbeat(world, rank, observer);
    watch_the_dead(world, observer);
}

/* ---- time ------------------------------------------------------------------------------------------------------------------ */

void knell_world_alarm(struct knell_world *world, knell_time when)
{
    set_timer(world, when, ALARM);
}

knell_time knell_world_next(struct knell_world *world)
{
    knell_time message = knell_queue_next(world->queue), timer = knell_heap_key(&world->timers);
    return message <= timer ? message : timer;
}

void knell_world_pass(struct knell_world *world, knell_time when)
{
    assert(when >= world->now && when <= knell_world_next(world));
    world->now = when;
}

void knell__world_deliver(struct knell_world *world, struct knell_delivery delivery)
{
    delivery.body &= ~SETTLED;
    if (world->alive[delivery.to])
        deliver(world, &delivery);
    knell_bodies_release(&world->bodies, delivery.body);
}

void knell__world_wake(struct knell_world *world, knell_rank rank)
{
    knell_time deadline = knell_node_deadline(world->node[rank]);
    if (deadline != KNELL_NEVER)
        set_timer(world, deadline > world->now ? deadline : world->now, rank);
}

bool knell_world_is_busy(struct knell_world *world)
{
    return knell_queue_next(world->queue) != KNELL_NEVER;
}

/* At large scale nearly every delivery finds its node outside the cache: who comes soon is fetched now. (A plain function of
 * prefetches alone has no effect in the compiler's eyes, and would be left out.) */
static inline __attribute__((always_inline)) void prefetch(const struct knell_world *world, knell_rank soon)
{
    if (soon == KNELL_NOBODY)
        return;
    const char *node = world->slab + soon * world->stride;
    __builtin_prefetch(node);
    __builtin_prefetch(node + 64);
    __builtin_prefetch(node + AREAS);
    __builtin_prefetch(node + AREAS + 64);
    __builtin_prefetch(&world->node[soon]);
    __builtin_prefetch(&world->alive[soon]);
}

static void run_message(struct knell_world *world)
{
    struct knell_delivery delivery = knell_queue_take(world->queue);
    prefetch(world, knell_queue_peek(world->queue, 12));
    world->now = delivery.time;
    uint32_t body = delivery.body & ~SETTLED;
    enum knell_fate fate = world->outage ? knell__outage_fate(world, &delivery) : KNELL_FATE_ARRIVES;
    if (fate == KNELL_FATE_WAITS)
        return;
    if (fate == KNELL_FATE_LOST)
        knell__outage_hold_up(world, &(struct knell_delivery){delivery.time, delivery.to, body, delivery.route});
    if (fate == KNELL_FATE_ARRIVES && world->alive[delivery.to] &&
        (world->network != KNELL_NETWORK_ONEPORT || is_received(world, &delivery)))
        deliver(world, &delivery);
    knell_bodies_release(&world->bodies, body);
}

/* With elided heartbeats a living emitter's deadline means nothing: the heartbeats that move it are not there. */
static bool is_watching_the_living(const struct knell_world *world, knell_rank rank)
{
    knell_rank emitter = knell_node_emitter(world->node[rank]);
    return world->config.beats == KNELL_BEATS_POSTED && (emitter == KNELL_NOBODY || world->alive[emitter]);
}

static void run_tick(struct knell_world *world, knell_rank rank)
{
    if (!world->alive[rank] || is_watching_the_living(world, rank) ||
        (world->outage && knell__outage_keeps_tick(world, rank)))
        return;
    if (knell_node_deadline(world->node[rank]) <= world->now) {
        world->events++;
        knell_world_step(world, rank, &(struct knell_event){.type = KNELL_EVENT_TICK});
        if (world->config.beats == KNELL_BEATS_POSTED)
            return; /* watch_the_dead has seen to the rest */
    }
    knell_time deadline = knell_node_deadline(world->node[rank]);
    if (deadline != KNELL_NEVER)
        set_timer(world, deadline, rank);
}

bool knell_world_run_one(struct knell_world *world)
{
    knell_time message = knell_queue_next(world->queue), timer = knell_heap_key(&world->timers);
    if (world->broken || (message == KNELL_NEVER && timer == KNELL_NEVER))
        return false;
    if (message <= timer) {
        run_message(world);
        return !world->broken;
    }
    world->now = timer;
    uint32_t value = knell_heap_take(&world->timers);
    if (value != ALARM)
        run_tick(world, value);
    else if (world->watch.timer)
        world->watch.timer(world->watch.context, world);
    return !world->broken;
}

/* ---- anti-entropy with elided heartbeats ---------------------------------------------------------------------------------------- */

/* Two heartbeats in a row must differ before lists are exchanged: both are delivered, at their times. */
uint32_t knell_world_compare_neighbours(struct knell_world *world)
{
    uint32_t differing = 0;
    for (uint32_t rank = 0; rank < world->config.ranks; rank++) {
        knell_rank emitter = world->alive[rank] ? knell_node_emitter(world->node[rank]) : KNELL_NOBODY;
        if (emitter == KNELL_NOBODY || !world->alive[emitter] ||
            knell_node_dead(world->node[rank]).digest == knell_node_dead(world->node[emitter]).digest)
            continue;
        for (unsigned period = 1; period <= 2; period++) {
            struct knell_body body;
            knell_time when = world->now + (knell_time)period * world->config.eta;
            if (!knell_node_heartbeat(world->node[emitter], when, &body))
                continue;
            uint32_t index = knell_bodies_add(&world->bodies, &body);
            if (index == KNELL_NO_BODY) {
                world->broken = true;
                return differing;
            }
            put(world,
                &(struct knell_delivery){body.emitted + world->config.tau, rank, index, {.from = emitter, .hops = 1}},
                0);
        }
        differing++;
    }
    return differing;
}
