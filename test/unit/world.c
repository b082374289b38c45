/* See world.h. */
#include "world.h"

#include "core/state.h"
#include "test.h"
#include "util/prng.h"
#include "world_log.h"

#include <stdlib.h>
#include <string.h>

static void *more(void *array, uint32_t count, uint32_t *room, size_t each)
{
    if (count < *room)
        return array;
    *room = 2 * *room + 16;
    return realloc(array, *room * each);
}

/* ---- the wire ---------------------------------------------------------------------------------------------------- */

static struct world_body *body_copy(const struct knell_body *body)
{
    const size_t each = sizeof(struct knell_range);
    size_t gone = body->dead.gone_ranges * each, left = body->dead.left_ranges * each,
           settled = body->dead.settled_ranges * each, agreed = body->agreed_ranges * each;
    struct world_body *copy = malloc(sizeof *copy + gone + left + settled + agreed + body->value_size);
    char *at = (char *)(copy + 1);

    copy->users = 0;
    copy->body = *body;
    copy->body.dead.gone = gone ? memcpy(at, body->dead.gone, gone) : NULL;
    copy->body.dead.left = left ? memcpy(at + gone, body->dead.left, left) : NULL;
    at += gone + left;
    copy->body.dead.settled = settled ? memcpy(at, body->dead.settled, settled) : NULL;
    at += settled;
    copy->body.agreed = agreed ? memcpy(at, body->agreed, agreed) : NULL;
    copy->body.value = body->value_size ? memcpy(at + agreed, body->value, body->value_size) : NULL;
    return copy;
}

static void body_release(struct world_body *held)
{
    if (--held->users == 0)
        free(held);
}

static knell_time delay_of(struct world *w)
{
    if (!w->random_delay)
        return w->delay;
    return 1 + (knell_time)(knell_prng_at(w->random_delay, w->draws++) % (uint64_t)w->delay);
}

static void on_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                    const struct knell_body *body)
{
    struct world *w = driver;
    struct world_slot *sender = &w->slot[w->stepping];
    struct world_body *held = NULL;

    CHECK(count > 0 && route->from == w->stepping && route->hops > 0);
    if (sender->may_send < count) {
        count = sender->may_send;
        sender->crashed = true;
    }
    if (sender->may_send != UINT32_MAX)
        sender->may_send -= count;
    world_log_message(w, to, count, route, body);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(to[i] < w->config.ranks && to[i] != w->stepping);
        w->sent[body->type]++;
        if (w->drop_heartbeats && body->type == KNELL_MESSAGE_HEARTBEAT)
            continue;
        if (!held)
            held = body_copy(body);
        held->users++;
        w->wire = more(w->wire, w->wire_count, &w->wire_room, sizeof *w->wire);
        w->wire[w->wire_count++] = (struct world_message){to[i], w->now + delay_of(w), *route, held};
    }
}

static void on_tell(void *driver, const struct knell_fact *fact)
{
    struct world *w = driver;
    struct world_fact kept = {.at = w->stepping, .fact = *fact};

    if (w->slot[w->stepping].crashed)
        return;
    CHECK_EQ_I64(fact->when, w->now);
    if (fact->value_size)
        memcpy(kept.value, fact->value, fact->value_size < WORLD_VALUE ? fact->value_size : WORLD_VALUE);
    for (uint32_t i = 0; i < fact->dead_ranges; i++)
        for (knell_rank r = fact->dead[i].first; r <= fact->dead[i].last; r++) {
            kept.dead_count++;
            kept.dead_mask |= r < 64 ? UINT64_C(1) << r : 0;
        }
    kept.fact.value = NULL;
    kept.fact.dead = NULL;
    w->fact = more(w->fact, w->fact_count, &w->fact_room, sizeof *w->fact);
    w->fact[w->fact_count++] = kept;
    world_log_fact(w, &kept);
}

static void never_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                       const struct knell_body *body)
{
    (void)to, (void)count, (void)route, (void)body;
    *(bool *)driver = true;
}

static void never_tell(void *driver, const struct knell_fact *fact)
{
    (void)fact;
    *(bool *)driver = true;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void settle(struct world_slot *slot, void *block, struct knell_node *node)
{
    free(slot->block);
    slot->block = block;
    slot->node = node;
}

/* The node goes to another place as bytes; what it left behind is overwritten, so that a pointer back is found out. */
static void move_bytes(struct world_slot *slot)
{
    size_t size = knell_node_size(&slot->node->limits);
    void *block = malloc(size);
    memcpy(block, slot->node, size);
    memset(slot->block, 0xa5, size);
    settle(slot, block, block);
}

static void grow(struct world_slot *slot)
{
    struct knell_limits wanted = knell_node_wanted(slot->node);
    void *block = malloc(knell_node_size(&wanted));
    struct knell_node *moved = NULL;
    CHECK(block && knell_node_move(slot->node, block, &wanted, &moved) == 0);
    settle(slot, block, moved);
}

/* The rules: a refused step changed nothing and said nothing, and fits after one move. */
static int step_watched(struct world *w, struct world_slot *slot, const struct knell_event *event)
{
    bool called = false;
    size_t size = knell_node_size(&slot->node->limits);
    struct knell_counters counters = w->counters;
    char *before = memcpy(malloc(size), slot->node, size), *node = malloc(size);
    struct knell_node *probe = memcpy(node, before, size);
    int error = knell_node_step(probe, event, &(struct knell_sink){&called, never_send, never_tell});

    if (error == KNELL_EFULL) {
        probe->needed = ((struct knell_node *)before)->needed;
        CHECK(!called);
        CHECK(memcmp(&counters, &w->counters, sizeof counters) == 0);
        CHECK(memcmp(before, node, size) == 0);
    }
    w->counters = counters;
    free(before);
    free(node);
    return error;
}

int world_step(struct world *w, knell_rank rank, struct knell_event event)
{
    struct world_slot *slot = &w->slot[rank];
    struct knell_sink sink = {w, on_send, on_tell};
    int error;

    event.now = w->now;
    w->stepping = rank;
    if (w->move_each_step)
        move_bytes(slot);
    for (unsigned tries = 0;; tries++) {
        if (w->check_refusals && step_watched(w, slot, &event) != KNELL_EFULL)
            CHECK(tries <= 1);
        error = knell_node_step(slot->node, &event, &sink);
        if (error != KNELL_EFULL || tries == 32)
            break;
        w->refusals++;
        grow(slot);
    }
    CHECK(error != KNELL_EFULL);
    return error;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void world_open(struct world *w, uint32_t ranks)
{
    *w = (struct world){
        .config = {.ranks = ranks, .eta = 10, .delta = 30, .tau = 1},
        .limits = knell_limits_default(),
        .delay = 1,
        .slot = calloc(ranks, sizeof *w->slot),
    };
    for (knell_rank r = 0; r < ranks; r++)
        w->slot[r].may_send = UINT32_MAX;
}

void world_start(struct world *w)
{
    for (knell_rank r = 0; r < w->config.ranks; r++) {
        struct world_slot *slot = &w->slot[r];
        slot->block = malloc(knell_node_size(&w->limits));
        CHECK(knell_node_init(slot->block, &w->limits, &w->config, r, &w->counters, &slot->node) == 0);
        CHECK(world_step(w, r,
                         (struct knell_event){.type = KNELL_EVENT_START, .as.start.first_heartbeat = w->config.eta}) ==
              0);
    }
}

void world_close(struct world *w)
{
    while (w->wire_count)
        world_lose(w, 0);
    for (knell_rank r = 0; r < w->config.ranks; r++)
        free(w->slot[r].block);
    free(w->slot);
    free(w->wire);
    free(w->fact);
    free(w->log);
}

void world_crash(struct world *w, knell_rank rank)
{
    w->slot[rank].crashed = true;
}

bool world_alive(const struct world *w, knell_rank rank)
{
    return !w->slot[rank].crashed && knell_node_state(w->slot[rank].node) == KNELL_STATE_RUNNING;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

int world_tick(struct world *w, knell_rank rank)
{
    return world_step(w, rank, (struct knell_event){.type = KNELL_EVENT_TICK});
}

int world_suspect(struct world *w, knell_rank rank, knell_rank who, enum knell_why why)
{
    return world_step(w, rank, (struct knell_event){.type = KNELL_EVENT_SUSPECT, .as.suspect = {who, why}});
}

int world_leave(struct world *w, knell_rank rank)
{
    return world_step(w, rank, (struct knell_event){.type = KNELL_EVENT_LEAVE});
}

int world_trigger(struct world *w, knell_rank rank)
{
    return world_step(w, rank, (struct knell_event){.type = KNELL_EVENT_TRIGGER});
}

int world_resumed(struct world *w, knell_rank rank, knell_time gap)
{
    return world_step(w, rank, (struct knell_event){.type = KNELL_EVENT_RESUMED, .as.resumed.gap = gap});
}

int world_group(struct world *w, knell_rank rank, const struct knell_group *group)
{
    return world_step(w, rank, (struct knell_event){.type = KNELL_EVENT_GROUP, .as.group.group = group});
}

int world_drop(struct world *w, knell_rank rank, uint64_t group)
{
    return world_step(w, rank, (struct knell_event){.type = KNELL_EVENT_DROP, .as.drop.id = group});
}

int world_revoke(struct world *w, knell_rank rank, uint64_t group)
{
    return world_step(w, rank, (struct knell_event){.type = KNELL_EVENT_REVOKE, .as.revoke.group = group});
}

int world_propose(struct world *w, knell_rank rank, uint64_t group, enum knell_kind kind, uint8_t value, uint64_t acked)
{
    return world_step(
        w, rank,
        (struct knell_event){.type = KNELL_EVENT_PROPOSE,
                             .as.propose = {.group = group, .kind = kind, .size = 1, .value = &value, .acked = acked}});
}

int world_inject(struct world *w, knell_rank from, knell_rank to, struct knell_body body)
{
    struct knell_event event = {.type = KNELL_EVENT_MESSAGE,
                                .as.message = {.route = {.from = from, .hops = 1}, .body = &body}};
    return world_step(w, to, event);
}

/* ---- delivery ---------------------------------------------------------------------------------------------------- */

int world_find(const struct world *w, enum knell_message type, knell_rank to)
{
    for (uint32_t i = 0; i < w->wire_count; i++)
        if (w->wire[i].held->body.type == type && (to == KNELL_NOBODY || w->wire[i].to == to))
            return (int)i;
    return -1;
}

static struct world_message take(struct world *w, uint32_t at)
{
    struct world_message message = w->wire[at];
    memmove(&w->wire[at], &w->wire[at + 1], (--w->wire_count - at) * sizeof *w->wire);
    return message;
}

void world_lose(struct world *w, uint32_t at)
{
    body_release(take(w, at).held);
}

void world_deliver(struct world *w, uint32_t at)
{
    struct world_message message = take(w, at);
    struct knell_event event = {.type = KNELL_EVENT_MESSAGE,
                                .as.message = {.route = message.route, .body = &message.held->body}};
    bool runs = world_alive(w, message.to);
    int error =
        w->slot[message.to].crashed ? 0 : world_step(w, message.to, event); /* the fenced are fed too: some answer */
    if (runs)
        CHECK_EQ_I64(error, 0);
    body_release(message.held);
}

void world_deliver_all(struct world *w)
{
    while (w->wire_count)
        world_deliver(w, 0);
}

void world_deliver_shuffled(struct world *w, uint64_t seed)
{
    struct knell_prng random;
    knell_prng_seed(&random, seed);
    while (w->wire_count)
        world_deliver(w, (uint32_t)knell_prng_below(&random, w->wire_count));
}

static uint32_t earliest(const struct world *w)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < w->wire_count; i++)
        if (w->wire[i].arrives < w->wire[best].arrives)
            best = i;
    return best;
}

void world_run(struct world *w, knell_time until)
{
    for (;;) {
        knell_rank due = 0;
        knell_time timer = KNELL_NEVER;
        for (knell_rank r = 0; r < w->config.ranks; r++)
            if (world_alive(w, r) && knell_node_deadline(w->slot[r].node) < timer)
                timer = knell_node_deadline(w->slot[due = r].node);
        uint32_t at = w->wire_count ? earliest(w) : 0;
        knell_time arrival = w->wire_count ? w->wire[at].arrives : KNELL_NEVER;
        knell_time next = arrival <= timer ? arrival : timer;
        if (next > until)
            break;
        w->now = next > w->now ? next : w->now;
        if (arrival <= timer)
            world_deliver(w, at);
        else
            CHECK_EQ_I64(world_tick(w, due), 0);
    }
    w->now = until;
}

uint32_t world_facts(const struct world *w, knell_rank at, enum knell_fact_type type, knell_rank about)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->fact_count; i++)
        count += (at == KNELL_NOBODY || w->fact[i].at == at) && w->fact[i].fact.type == type &&
                 (about == KNELL_NOBODY || w->fact[i].fact.rank == about);
    return count;
}

const struct world_fact *world_fact(const struct world *w, knell_rank at, enum knell_fact_type type)
{
    for (uint32_t i = w->fact_count; i-- > 0;)
        if (w->fact[i].at == at && w->fact[i].fact.type == type)
            return &w->fact[i];
    return NULL;
}
