/* ring.c: the observation ring, tasks T1 to T4 of the paper's Algorithm 1 (docs/design/protocol.md, "Ring").
 *
 * Each node emits heartbeats to its observer (next alive) and watches its emitter (previous alive). A heartbeat carries
 * its emission time and moves the deadline to that time + delta, so that a datagram and a flag in shared memory mean the
 * same. Spreading what is found is not done here: see broadcast.c. */
#include "core/ring.h"
#include "core/broadcast.h"
#include "core/dead.h"
#include "util/rankset.h"

static knell_rank rank_at(const struct knell_config *config, uint32_t position)
{
    return config->ring_order ? config->ring_order[position] : position;
}

static uint32_t position_of(const struct knell_config *config, knell_rank rank)
{
    return config->ring_position ? config->ring_position[rank] : rank;
}

/* Steps along the ring from a to b. */
static uint32_t ring_distance(const struct knell_config *config, knell_rank a, knell_rank b)
{
    uint32_t from = position_of(config, a), to = position_of(config, b);
    return to >= from ? to - from : config->ranks - from + to;
}

static knell_rank previous(const struct knell_config *config, knell_rank rank)
{
    uint32_t position = position_of(config, rank);
    return rank_at(config, position ? position - 1 : config->ranks - 1);
}

/* FindEmitter: the closest predecessor not known to be dead; KNELL_NOBODY when this node is the last. */
static knell_rank find_emitter(struct knell_node *node)
{
    if (node->gone_size + 1 >= node->config->ranks)
        return KNELL_NOBODY;
    knell_rank rank = node->emitter;
    while (knell__is_gone(node, rank)) {
        if (!node->config->ring_order) { /* natural order: jump over the whole stretch */
            const struct knell_range *range = knell__gone(node);
            rank = range[knell__ranges_find(range, node->gone_ranges, rank)].first;
        }
        rank = previous(node->config, rank);
    }
    return rank == node->self ? KNELL_NOBODY : rank;
}

static void fill_heartbeat(const struct knell_node *node, knell_time emitted, struct knell_body *body)
{
    *body = (struct knell_body){
        .type = KNELL_MESSAGE_HEARTBEAT,
        .subject = KNELL_NOBODY,
        .emitted = emitted,
        .dead = {.size = node->gone_size, .digest = knell__digest(node)},
    };
}

static void send_heartbeat(struct knell__step *step)
{
    struct knell_node *node = step->node;
    struct knell_body body;
    node->beat_last = step->now;
    node->beat_next = step->now + node->config->eta;
    if (node->observer == KNELL_NOBODY)
        return;
    fill_heartbeat(node, step->now, &body);
    KNELL__COUNT(node, heartbeats_sent, 1);
    knell__send_one(step, node->observer, &body);
}

/* Whoever watches this node holds all who stand between them on the ring for dead. Should one of them live, and have watched this node
 * so far, nobody may have told it; it hears no more heartbeats and would suspect this node, which did no wrong. So it is told: its own
 * name is the list (I3). That comes in time: the last heartbeat it was sent is less than eta old, and delta >= eta + tau. */
static void tell_passed_over(struct knell__step *step, knell_rank rank)
{
    struct knell_range itself = {.first = rank, .last = rank};
    struct knell_body body = {
        .type = KNELL_MESSAGE_SYNC,
        .subject = KNELL_NOBODY,
        .dead = {.gone = &itself, .gone_ranges = 1, .size = 1, .digest = knell_digest_of(rank)},
    };
    if (knell__is_left(step->node, rank))
        return;
    KNELL__COUNT(step->node, syncs, 1);
    knell__send_one(step, rank, &body);
}

/* Watches a new emitter; it may need a whole delta to answer and another to be missed. */
static void reconnect(struct knell__step *step)
{
    struct knell_node *node = step->node;
    node->emitter = find_emitter(node);
    node->heard = INT64_MIN;
    node->differs_theirs = node->differs_mine = 0;
    if (node->emitter == KNELL_NOBODY) {
        node->suspicion = KNELL_NEVER;
        if (node->observer != KNELL_NOBODY)
            tell_passed_over(step, node->observer);
        node->observer = KNELL_NOBODY;
        return;
    }
    node->suspicion = step->now + 2 * node->config->delta;
    KNELL__COUNT(node, reconnections, 1);
    knell__send_one(step, node->emitter,
                    &(struct knell_body){.type = KNELL_MESSAGE_NEW_OBSERVER, .subject = KNELL_NOBODY});
}

void knell__ring_start(struct knell__step *step, knell_time first_heartbeat, knell_time grace)
{
    struct knell_node *node = step->node;
    const struct knell_config *config = node->config;
    uint32_t position = position_of(config, node->self);
    node->state = KNELL_STATE_RUNNING;
    node->emitter = previous(config, node->self);
    node->observer = rank_at(config, position + 1 < config->ranks ? position + 1 : 0);
    node->beat_next = step->now + first_heartbeat;
    node->beat_last = INT64_MIN;
    node->suspicion = step->now + config->delta + grace;
    node->floor = INT64_MIN;
    node->heard = INT64_MIN;
}

/* T1, T3. A heartbeat keeps to its grid, also over periods it missed. */
bool knell__ring_tick(struct knell__step *step)
{
    struct knell_node *node = step->node;
    knell_time eta = node->config->eta, due = node->beat_next;
    if (node->config->beats == KNELL_BEATS_SENT && step->now >= due) {
        knell_time missed = (step->now - due) / eta;
        send_heartbeat(step);
        node->beat_next = due + (missed + 1) * eta;
        KNELL__COUNT(node, heartbeats_missed, (uint64_t)missed);
    }
    if (step->now < node->suspicion)
        return false;
    KNELL__COUNT(node, suspicions, 1);
    return true;
}

/* What was given to an emitter that has not been heard yet ends with its first heartbeat: the floor is never more than delta away. */
void knell__ring_resumed(struct knell__step *step, knell_time gap)
{
    struct knell_node *node = step->node;
    if (node->suspicion == KNELL_NEVER)
        return;
    node->suspicion = gap < KNELL_NEVER - node->suspicion ? node->suspicion + gap : KNELL_NEVER - 1;
    node->floor = step->now + node->config->delta;
    if (node->suspicion < node->floor)
        node->floor = node->suspicion;
}

/* T3, for whatever reason and whoever it is about. */
bool knell__ring_suspect(struct knell__step *step, knell_rank rank, enum knell_why why)
{
    struct knell_node *node = step->node;
    if (!knell__learn(step, rank, node->self, why))
        return false;
    if (why != KNELL_WHY_TRIGGER)
        knell__sync_send(step, rank, 0); /* should it live, it is the first to know, and ends (I3) */
    knell__ring_mend(step);              /* NewObserver goes out next: the ring heals while the news spreads */
    knell__broadcast(step, rank, why);
    return true;
}

static void send_trigger(struct knell__step *step, knell_rank to)
{
    knell__send_one(step, to, &(struct knell_body){.type = KNELL_MESSAGE_TRIGGER, .subject = KNELL_NOBODY});
}

void knell__ring_trigger(struct knell__step *step)
{
    struct knell_node *node = step->node;
    if (node->observer != KNELL_NOBODY)
        send_trigger(step, node->observer);
    knell__stop(node, KNELL_STATE_FENCED);
    node->triggered = true;
}

/* The observer may have died with the trigger unheard, or before it passed it on. Then another one comes to watch this node, and
 * hears the same: nobody has to wait for a timeout. One that is held for dead hears that instead: from the other side of a split it
 * must not learn who has ended here (I13). */
void knell__ring_trigger_again(struct knell__step *step, const struct knell_route *route, const struct knell_body *body)
{
    if (body->type != KNELL_MESSAGE_NEW_OBSERVER)
        return;
    if (knell__is_gone(step->node, route->from))
        knell__sync_send(step, route->from, 0);
    else
        send_trigger(step, route->from);
}

/* The two lists differed at two heartbeats in a row, neither having changed: no broadcast on its way will mend that. */
static void compare_lists(struct knell__step *step, knell_rank from, const struct knell_body *body)
{
    struct knell_node *node = step->node;
    uint64_t mine = knell__digest(node), theirs = body->dead.digest;
    if (theirs == mine) {
        node->differs_theirs = node->differs_mine = 0;
        return;
    }
    if (node->differs_theirs == theirs && node->differs_mine == mine)
        knell__sync_send(step, from, KNELL_FLAG_ANSWER);
    node->differs_theirs = theirs;
    node->differs_mine = mine;
}

/* T2. Channels are unordered: an older heartbeat than the newest is no news. */
void knell__ring_heartbeat(struct knell__step *step, knell_rank from, const struct knell_body *body)
{
    struct knell_node *node = step->node;
    KNELL__COUNT(node, heartbeats_received, 1);
    knell_time emitted = body->emitted < step->now ? body->emitted : step->now;
    if (from != node->emitter || emitted <= node->heard)
        return;
    node->heard = emitted;
    node->suspicion = emitted + node->config->delta;
    if (node->suspicion < node->floor)
        node->suspicion = node->floor;
    compare_lists(step, from, body);
}

/* T4. An old observer's message may come after a newer one's: only who is farther along the ring wins. */
void knell__ring_new_observer(struct knell__step *step, knell_rank from)
{
    struct knell_node *node = step->node;
    knell_rank before = node->observer;
    if (before != KNELL_NOBODY &&
        ring_distance(node->config, node->self, from) < ring_distance(node->config, node->self, before)) {
        tell_passed_over(step, from);
        return;
    }
    node->observer = from;
    send_heartbeat(step);
    if (before != KNELL_NOBODY && before != from)
        tell_passed_over(step, before);
}

/* When the emitter turns out to be dead, by whatever way, the next one is watched at once. */
void knell__ring_mend(struct knell__step *step)
{
    if (step->node->emitter != KNELL_NOBODY && knell__is_gone(step->node, step->node->emitter))
        reconnect(step);
}

knell_time knell_node_deadline(const struct knell_node *node)
{
    if (node->state != KNELL_STATE_RUNNING)
        return KNELL_NEVER;
    bool beats = node->config->beats == KNELL_BEATS_SENT && node->observer != KNELL_NOBODY;
    return beats && node->beat_next < node->suspicion ? node->beat_next : node->suspicion;
}

knell_time knell_node_suspicion(const struct knell_node *node)
{
    return node->state == KNELL_STATE_RUNNING ? node->suspicion : KNELL_NEVER;
}

bool knell_node_heartbeat(const struct knell_node *node, knell_time now, struct knell_body *body)
{
    if (node->state != KNELL_STATE_RUNNING)
        return false;
    knell_time eta = node->config->eta, emitted = node->beat_last;
    if (now >= node->beat_next)
        emitted = node->beat_next + (now - node->beat_next) / eta * eta;
    if (emitted == INT64_MIN)
        return false;
    fill_heartbeat(node, emitted, body);
    return true;
}
