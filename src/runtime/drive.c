/* drive: the node of the core and the world around it: events in, messages and facts out, datagrams in. Everything here
 * runs with the runtime's lock held and at the time runtime->now. */
#include "core/overlay.h"
#include "runtime/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ABROAD = 128 }; /* receivers of one send: twice the neighbours in any overlay */

/* ---- out ------------------------------------------------------------------------------------------------------------- */

static void send_heartbeat(struct knell_runtime *runtime, knell_rank to, const struct knell_route *route,
                           const struct knell_body *body)
{
    uint8_t bytes[KNELL_WIRE_HEARTBEAT_MAX];
    struct knell_wire_cursor cursor = {0};
    size_t used;
    if (runtime->shortcuts)
        knell__local_post(runtime, body);
    if (runtime->shortcuts && runtime->directory.member[to].local)
        return; /* it looks at the board */
    if (knell_wire_encode(route, body, 0, &cursor, bytes, sizeof bytes, &used) == 0)
        knell__channel_send_once(&runtime->channel, KNELL__FRAME_BEAT, to, bytes, used);
}

/* To one held for dead only its own death certificate is sent, and once: it need not be there. */
static void send_part(struct knell_runtime *runtime, const knell_rank *to, uint32_t count,
                      const struct knell_body *body, const uint8_t *bytes, size_t size)
{
    if (count == 1 && knell_node_is_gone(runtime->node, to[0])) {
        if (body->type == KNELL_MESSAGE_SYNC)
            knell__channel_send_once(&runtime->channel, KNELL__FRAME_ONCE, to[0], bytes, size);
        return;
    }
    knell__channel_send(&runtime->channel, runtime->now, to, count, bytes, size);
}

static uint64_t label_of(const struct knell_body *body)
{
    return (uint64_t)body->source << 32 | body->sequence;
}

/* A broadcast that is passed on goes to the tree's children at once. The other edges matter only when somebody on the tree is
 * dead; they wait a little, and who sends us the same broadcast meanwhile has it. With latest_only somebody always is: whom it
 * tells of. How many of the receivers come first. */
static uint32_t urgent(const struct knell_runtime *runtime, uint32_t count, const struct knell_body *body)
{
    if (body->type != KNELL_MESSAGE_BROADCAST || runtime->core.overlay != KNELL_OVERLAY_CIRCULANT ||
        runtime->core.latest_only || body->source == runtime->config.rank)
        return count;
    struct knell__roster roster = knell__roster_make(runtime->config.ranks, NULL, &body->dead);
    if (!knell__roster_has(&roster, body->source) || !knell__roster_has(&roster, runtime->config.rank))
        return count;
    uint32_t children = knell__circulant_children(&roster, body->source, runtime->config.rank);
    return children < count ? children : count;
}

/* Within the host a broadcast is posted, not sent. Not over hba: each of its copies has a path of its own and is passed on by the route
 * it came with, which a message that all read does not have. */
static bool is_posted(const struct knell_runtime *runtime, uint32_t count, const struct knell_body *body)
{
    return body->type == KNELL_MESSAGE_BROADCAST && runtime->core.overlay == KNELL_OVERLAY_CIRCULANT &&
           runtime->sentinel.running && count <= ABROAD;
}

/* Leaves those of other hosts, at most ABROAD; returns how many, and in *first
 * how many of these come first. */
static uint32_t leave_abroad(const struct knell_runtime *runtime, const knell_rank *to, uint32_t count, uint32_t *first,
                             knell_rank *abroad)
{
    uint32_t kept = 0, urgent_kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!runtime->directory.member[to[i]].local) {
            abroad[kept++] = to[i];
            urgent_kept += i < *first;
        }
    *first = urgent_kept;
    return kept;
}

/* Agreements go by the program's own way while nobody of the group is gone, or leaves. From then on somebody may be asked who is
 * through with the agreement and does not listen there. True: it took the message. */
static bool carry(struct knell_runtime *runtime, const knell_rank *to, uint32_t count, const struct knell_body *body,
                  const uint8_t *bytes, size_t size)
{
    bool agreement = body->type == KNELL_MESSAGE_UP || body->type == KNELL_MESSAGE_DOWN;
    bool of_leaving = body->flags & (KNELL_FLAG_ANSWER | KNELL_FLAG_HELD);
    return runtime->config.carry && agreement && !of_leaving && knell_node_failures(runtime->node, body->group) == 0 &&
           runtime->config.carry(runtime->config.carry_context, body->group, body->kind, to, count, bytes, size);
}

static void send_bytes(struct knell_runtime *runtime, const knell_rank *to, uint32_t first, uint32_t count,
                       const struct knell_body *body, const uint8_t *bytes, size_t size)
{
    if (first > 0)
        send_part(runtime, to, first, body, bytes, size);
    if (first < count)
        knell__channel_send_later(&runtime->channel, runtime->now, label_of(body), to + first, count - first, bytes,
                                  size);
}

static void on_send(void *driver, const knell_rank *to, uint32_t count, const struct knell_route *route,
                    const struct knell_body *body)
{
    struct knell_runtime *runtime = driver;
    uint8_t bytes[KNELL__FRAME_ROOM];
    knell_rank abroad[ABROAD];
    struct knell_wire_cursor cursor = {0};
    if (body->type == KNELL_MESSAGE_HEARTBEAT) {
        send_heartbeat(runtime, to[0], route, body);
        return;
    }
    uint32_t first = urgent(runtime, count, body), part = 0;
    bool posts = is_posted(runtime, count, body), posted = false;
    if (posts) {
        count = leave_abroad(runtime, to, count, &first, abroad);
        to = abroad;
    }
    runtime->split++;
    while (!cursor.done) {
        size_t used;
        if (knell_wire_encode(route, body, runtime->split, &cursor, bytes, sizeof bytes, &used) != 0)
            return; /* cannot be: the room suffices for every message */
        if (posts &&
            (!runtime->by_news || body->source == runtime->config.rank)) /* what came by news is there already */
            posted |= knell__news_post(&runtime->news, runtime->config.rank, label_of(body), part++, bytes, used);
        if (!carry(runtime, to, count, body, bytes, used))
            send_bytes(runtime, to, first, count, body, bytes, used);
    }
    if (posted)
        knell__news_ring(&runtime->news);
}

static _Noreturn void end_fenced(const struct knell_runtime *runtime, knell_rank by)
{
    char line[120];
    int size = snprintf(line, sizeof line, "knell: rank %u is held for dead (told by rank %u) and ends\n",
                        runtime->config.rank, by);
    ssize_t written = write(STDERR_FILENO, line, (size_t)size);
    (void)written;
    _exit(KNELL_RUNTIME_EXIT_FENCED);
}

static void on_tell(void *driver, const struct knell_fact *fact)
{
    struct knell_runtime *runtime = driver;
    bool first = !knell__facts_are_there(&runtime->facts);
    if (fact->type == KNELL_FACT_FENCED && runtime->config.fencing == KNELL_FENCE_EXIT)
        end_fenced(runtime, fact->by);
    if (fact->type == KNELL_FACT_SPLIT && runtime->config.fencing == KNELL_FENCE_EXIT)
        knell__sides_end(runtime, &fact->sides);
    if (fact->type == KNELL_FACT_DECIDED)
        knell__sides_settled(runtime, fact);
    if (fact->type == KNELL_FACT_FAILED && runtime->config.on_split == KNELL_SPLIT_END) {
        runtime->lost_some = true;
        if (fact->why == KNELL_WHY_TIMEOUT || fact->why == KNELL_WHY_OPERATOR)
            knell__sides_look(runtime); /* a decision may follow in this step; of others their end may be certain */
    }
    if (fact->type == KNELL_FACT_FAILED && (fact->by == runtime->config.rank || fact->rank == runtime->watched) &&
        !runtime->config.spare_the_dead && knell__local_kill(runtime, fact->rank))
        runtime->killed = fact->rank;
    if (fact->type == KNELL_FACT_FAILED || fact->type == KNELL_FACT_LEFT) {
        knell__channel_close(&runtime->channel, fact->rank);
        runtime->watch_again |= fact->rank == runtime->watched;
    }
    if (runtime->config.on_fact_at_once) {
        runtime->config.on_fact_at_once(runtime->config.on_fact_context, fact);
        return;
    }
    knell__facts_put(&runtime->facts, fact);
    if (first && !runtime->config.on_fact) {
        ssize_t written = write(runtime->facts_fd, &(uint64_t){1}, sizeof(uint64_t));
        (void)written;
    }
}

/* ---- steps ----------------------------------------------------------------------------------------------------------- */

static int grow(struct knell_runtime *runtime)
{
    struct knell_limits wanted = knell_node_wanted(runtime->node);
    struct knell_node *old = runtime->node;
    void *memory = malloc(knell_node_size(&wanted));
    if (!memory)
        return KNELL_ESYSTEM;
    int error = knell_node_move(old, memory, &wanted, &runtime->node);
    free(error ? memory : old);
    return error;
}

static int step(struct knell_runtime *runtime, struct knell_event *event)
{
    const struct knell_sink sink = {.driver = runtime, .send = on_send, .tell = on_tell};
    int error;
    event->now = runtime->now;
    while ((error = knell_node_step(runtime->node, event, &sink)) == KNELL_EFULL)
        if (grow(runtime) != 0) {
            runtime->counters.lost_full++;
            return KNELL_ESYSTEM;
        }
    return error;
}

/* Of a process that was ended here it is certain that it is on no other side of a split: all hear of it. */
static void tell_killed(struct knell_runtime *runtime)
{
    while (runtime->killed != KNELL_NOBODY) {
        struct knell_event ended = {.type = KNELL_EVENT_SUSPECT, .as.suspect = {runtime->killed, KNELL_WHY_ENDED}};
        runtime->killed = KNELL_NOBODY;
        step(runtime, &ended);
    }
}

int knell__drive(struct knell_runtime *runtime, struct knell_event *event)
{
    int error = step(runtime, event);
    if (__builtin_expect(runtime->lost_some, 0)) {
        runtime->lost_some = false;
        tell_killed(runtime);
        knell__sides_look(runtime);
    }
    return error;
}

/* ---- in -------------------------------------------------------------------------------------------------------------- */

void knell__drive_heartbeat(struct knell_runtime *runtime, knell_rank from, knell_time emitted, uint32_t size,
                            uint64_t digest)
{
    struct knell_body body = {.type = KNELL_MESSAGE_HEARTBEAT,
                              .subject = KNELL_NOBODY,
                              .emitted = emitted,
                              .dead = {.size = size, .digest = digest}};
    knell__drive(runtime, &(struct knell_event){.type = KNELL_EVENT_MESSAGE,
                                                .as.message = {.route = {.from = from, .hops = 1}, .body = &body}});
}

/* A heartbeat counts by its emission time: an old one, or one played again, is none. */
static void take_heartbeat(struct knell_runtime *runtime, const struct knell__received *got, knell_time arrived)
{
    struct knell_wire_part part;
    struct knell_route route;
    struct knell_body body;
    struct knell__other *other = &runtime->other[got->frame.from];
    if (knell_wire_decode(got->payload, got->size, runtime->config.ranks, NULL, 0, &part, &route, &body) != 0 ||
        body.type != KNELL_MESSAGE_HEARTBEAT || route.from != got->frame.from || body.emitted < 0 ||
        body.emitted > KNELL_NEVER / 4) {
        runtime->channel.counters.refused_format++;
        return;
    }
    if (body.emitted <= other->heard) {
        runtime->counters.stale_heartbeats++;
        return;
    }
    other->heard = body.emitted;
    knell_time emitted = body.emitted;
    if (!runtime->directory.member[got->frame.from].local)
        emitted = knell__offset_translate(&other->offset, emitted, arrived);
    knell__drive_heartbeat(runtime, got->frame.from, emitted, body.dead.size, body.dead.digest);
}

/* False when it is not what a message from there must be. */
static bool deliver(struct knell_runtime *runtime, knell_rank from, bool once, const uint8_t *bytes, size_t size)
{
    struct knell_event event = {.type = KNELL_EVENT_MESSAGE};
    struct knell_body body;
    bool whole;
    int error = knell_wire_join_feed(runtime->join, bytes, size, &whole, &event.as.message.route, &body);
    if (!error && !whole)
        return true;
    if (error || event.as.message.route.from != from || body.type == KNELL_MESSAGE_HEARTBEAT ||
        (once && (body.type != KNELL_MESSAGE_SYNC || body.flags)))
        return false;
    event.as.message.body = &body;
    knell__drive(runtime, &event);
    if (body.type == KNELL_MESSAGE_BROADCAST)
        knell__channel_cancel(&runtime->channel, from, label_of(&body));
    return true;
}

static void take_message(struct knell_runtime *runtime, const struct knell__received *got)
{
    if (!deliver(runtime, got->frame.from, got->frame.kind == KNELL__FRAME_ONCE, got->payload, got->size))
        runtime->channel.counters.refused_format++;
}

void knell__drive_news(void *context, const struct knell__news_item *item)
{
    struct knell_runtime *runtime = context;
    if (item->from == runtime->config.rank)
        return;
    runtime->counters.board_news++;
    deliver(runtime, item->from, false, item->bytes, item->size);
}

bool knell__drive_carried(struct knell_runtime *runtime, knell_rank from, const uint8_t *bytes, size_t size)
{
    return deliver(runtime, from, false, bytes, size);
}

void knell__drive_datagram(struct knell_runtime *runtime, const uint8_t *bytes, size_t size, knell_time arrived)
{
    struct knell__received got;
    runtime->counters.datagrams_received++;
    runtime->counters.bytes_received += size;
    if (!knell__channel_receive(&runtime->channel, runtime->now, bytes, size, &got))
        return;
    if (got.frame.kind == KNELL__FRAME_BEAT)
        take_heartbeat(runtime, &got, arrived);
    else if (got.frame.kind != KNELL__FRAME_BYE)
        take_message(runtime, &got);
}
