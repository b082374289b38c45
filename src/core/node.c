/* node.c: wiring only: an event comes in, is checked, and goes to the machine it concerns. */
#include "core/agree.h"
#include "core/broadcast.h"
#include "core/dead.h"
#include "core/dropped.h"
#include "core/group.h"
#include "core/leave.h"
#include "core/registry.h"
#include "core/ring.h"
#include "core/room.h"
#include "core/split.h"

#include <assert.h>

/* Part of knell_node_step, which a simulation takes a billion times: left to the compiler, a heartbeat takes 15.3 ns and not 13.9. */
#define IN_STEP static inline __attribute__((always_inline))
/* What a step seldom does stays out of its way: with it inlined, a heartbeat takes 14.8 ns. */
#define SELDOM static __attribute__((noinline))

/* ---- what follows from a death ------------------------------------------------------------------------------------------- */

/* Groups hear of nothing on a side that must end. */
static void tell_groups(struct knell__step *step)
{
    if (knell__split_ends(step))
        return;
    knell__agree_dead_changed(step);
    knell__revoke_dead_changed(step);
}

SELDOM void dead_changed(struct knell__step *step)
{
    knell__ring_mend(step);
    tell_groups(step);
}

/* The ring mends itself on the way. */
SELDOM void suspect(struct knell__step *step, knell_rank rank, enum knell_why why)
{
    if (knell__ring_suspect(step, rank, why))
        tell_groups(step);
}

/* ---- messages ------------------------------------------------------------------------------------------------------------ */

/* The answer wants none: two that hold each other for dead fall silent. */
static bool wants_answer(const struct knell_body *body)
{
    return body->type == KNELL_MESSAGE_HEARTBEAT || body->type == KNELL_MESSAGE_NEW_OBSERVER ||
           (body->type == KNELL_MESSAGE_SYNC && (body->flags & KNELL_FLAG_ANSWER));
}

/* Nothing from the dead is heard (I3). Who still talks is told, and ends. A departing node's own broadcast may overtake
 * itself, and its revoke. */
static bool is_from_dead(struct knell__step *step, const struct knell_route *route, const struct knell_body *body)
{
    struct knell_node *node = step->node;
    if (node->gone_size == 0 || !knell__is_gone(node, route->from))
        return false;
    bool left = knell__is_left(node, route->from);
    if (left && (body->type == KNELL_MESSAGE_BROADCAST || body->type == KNELL_MESSAGE_REVOKE))
        return false;
    /* The kernel may report the end of one who left before its farewell is here: it left. Of what else it says, nothing. */
    if (body->type == KNELL_MESSAGE_BROADCAST && body->why == KNELL_WHY_LEFT && body->subject == route->from) {
        if (knell__learn(step, route->from, route->from, KNELL_WHY_LEFT))
            dead_changed(step);
        return true;
    }
    KNELL__COUNT(node, messages_dropped, 1);
    if (!left && wants_answer(body))
        knell__sync_send(step, route->from, 0);
    return true;
}

static void on_list_message(struct knell__step *step, const struct knell_route *route, const struct knell_body *body)
{
    if (knell__fence_if_named(step, route->from, body))
        return;
    if (body->type == KNELL_MESSAGE_BROADCAST) {
        if (knell__broadcast_received(step, route, body))
            dead_changed(step);
        return;
    }
    bool news = knell__merge(step, &body->dead, route->from);
    if (news)
        dead_changed(step);
    if (step->node->state != KNELL_STATE_RUNNING) { /* a split: the others here are still told why */
        knell__broadcast(step, KNELL_NOBODY, KNELL_WHY_TOLD);
        return;
    }
    if (body->type == KNELL_MESSAGE_SYNC)
        knell__sync_received(step, route->from, body, news);
    else
        knell__group_message(step, route, body);
}

IN_STEP int on_message(struct knell__step *step, const struct knell_route *route, const struct knell_body *body)
{
    KNELL__COUNT(step->node, messages_received, 1);
    if (is_from_dead(step, route, body))
        return 0;
    switch (body->type) {
    case KNELL_MESSAGE_HEARTBEAT:
        knell__ring_heartbeat(step, route->from, body);
        break;
    case KNELL_MESSAGE_NEW_OBSERVER:
        knell__ring_new_observer(step, route->from);
        break;
    case KNELL_MESSAGE_TRIGGER:
        suspect(step, route->from, KNELL_WHY_TRIGGER);
        break;
    case KNELL_MESSAGE_BROADCAST:
    case KNELL_MESSAGE_SYNC:
    case KNELL_MESSAGE_REVOKE:
    case KNELL_MESSAGE_UP:
    case KNELL_MESSAGE_DOWN:
        on_list_message(step, route, body);
        break;
    default:
        return KNELL_EINVAL;
    }
    return 0;
}

/* ---- the driver's own wishes ---------------------------------------------------------------------------------------------- */

static bool within(const struct knell_range *range, uint32_t count, uint32_t ranks)
{
    return count == 0 || range[count - 1].last < ranks;
}

/* A driver may hand over what came from a faulty peer: nothing in it may reach beyond what there is. Lists are sorted and
 * disjoint, the wire codec saw to that. */
static int check_message(const struct knell_node *node, const struct knell_route *route, const struct knell_body *body)
{
    uint32_t ranks = node->config->ranks, operations = node->config->combine ? node->config->combine_count : 1;
    bool good = body->type >= 1 && body->type < KNELL_MESSAGE_END && route->from < ranks && route->from != node->self &&
                body->source < ranks && body->operation < operations && body->kind < KNELL_KIND_END &&
                body->value_size <= KNELL_VALUE_MAX && within(body->dead.gone, body->dead.gone_ranges, ranks) &&
                within(body->dead.left, body->dead.left_ranges, ranks) &&
                within(body->dead.settled, body->dead.settled_ranges, ranks) &&
                within(body->agreed, body->agreed_ranges, ranks);
    if (good && body->type == KNELL_MESSAGE_BROADCAST && body->subject != KNELL_NOBODY)
        good = body->subject < ranks && body->why >= 1 && body->why < KNELL_WHY_END;
    return good ? 0 : KNELL_EINVAL;
}

/* Only who departs can say that it leaves. */
static int check_suspect(const struct knell_node *node, knell_rank rank, enum knell_why why)
{
    bool good = rank < node->config->ranks && rank != node->self && why >= KNELL_WHY_TIMEOUT && why < KNELL_WHY_END &&
                why != KNELL_WHY_LEFT;
    return good ? 0 : KNELL_EINVAL;
}

SELDOM int check_propose(struct knell_node *node, const struct knell_event *event)
{
    uint32_t operations = node->config->combine ? node->config->combine_count : 1;
    const struct knell_group *group = knell__group_of(node, event->as.propose.group);
    if (node->leaving || !group)
        return node->leaving ? KNELL_ESTOPPED : KNELL_EGROUP;
    if (event->as.propose.kind >= KNELL_KIND_END || event->as.propose.size > KNELL_VALUE_MAX ||
        (event->as.propose.size && !event->as.propose.value) || event->as.propose.operation >= operations)
        return KNELL_EINVAL;
    const struct knell__agreement *agreement = knell__agreement_find(node, group->id, event->as.propose.kind);
    if (agreement && agreement->next == UINT32_MAX)
        return KNELL_EINVAL; /* instances are numbered in 32 bits */
    if (agreement && agreement->next > 0 && agreement->slot[(agreement->next - 1) & 1].state == KNELL__SLOT_OPEN)
        return KNELL_EBUSY;
    return 0;
}

/* Sorted, within the ranks, with this node in it, and new. */
static int check_group(struct knell_node *node, const struct knell_group *group)
{
    if (group->size == 0 || knell__group_find(node, group->id) || knell__is_dropped(node, group->id))
        return KNELL_EINVAL;
    if (!group->member)
        return group->size == node->config->ranks ? 0 : KNELL_EINVAL;
    bool has_self = false;
    for (uint32_t i = 0; i < group->size; i++) {
        if (group->member[i] >= node->config->ranks || (i > 0 && group->member[i - 1] >= group->member[i]))
            return KNELL_EINVAL;
        has_self |= group->member[i] == node->self;
    }
    return has_self ? 0 : KNELL_EINVAL;
}

/* What the event itself must fulfil, before anything else. */
static int check_event(struct knell_node *node, const struct knell_event *event)
{
    if (event->now > KNELL_NEVER / 4 || event->now < -(KNELL_NEVER / 4))
        return KNELL_EINVAL; /* sums of times must not overflow */
    if ((event->type == KNELL_EVENT_START) != (node->state == KNELL_STATE_NEW))
        return node->state == KNELL_STATE_NEW ? KNELL_ESTOPPED : KNELL_EINVAL;
    bool still_talks = node->triggered && event->type == KNELL_EVENT_MESSAGE;
    if (event->type != KNELL_EVENT_START && node->state != KNELL_STATE_RUNNING && !still_talks)
        return KNELL_ESTOPPED;
    switch (event->type) {
    case KNELL_EVENT_START:
        return event->as.start.first_heartbeat < 0 || event->as.start.first_heartbeat > node->config->eta ||
                       event->as.start.grace < 0 || event->as.start.grace > KNELL_NEVER / 4
                   ? KNELL_EINVAL
                   : 0;
    case KNELL_EVENT_RESUMED:
        return event->as.resumed.gap < 0 ? KNELL_EINVAL : 0;
    case KNELL_EVENT_SUSPECT:
        return check_suspect(node, event->as.suspect.rank, event->as.suspect.why);
    case KNELL_EVENT_MESSAGE:
        return check_message(node, &event->as.message.route, event->as.message.body);
    case KNELL_EVENT_GROUP:
        return node->leaving ? KNELL_ESTOPPED : check_group(node, event->as.group.group);
    case KNELL_EVENT_PROPOSE:
        return check_propose(node, event);
    case KNELL_EVENT_REVOKE:
        return node->leaving ? KNELL_ESTOPPED : knell__group_of(node, event->as.revoke.group) ? 0 : KNELL_EGROUP;
    default:
        return 0;
    }
}

SELDOM int on_wish(struct knell__step *step, const struct knell_event *event)
{
    switch (event->type) {
    case KNELL_EVENT_START:
        knell__ring_start(step, event->as.start.first_heartbeat, event->as.start.grace);
        return 0;
    case KNELL_EVENT_RESUMED:
        knell__ring_resumed(step, event->as.resumed.gap);
        return 0;
    case KNELL_EVENT_SUSPECT:
        suspect(step, event->as.suspect.rank, event->as.suspect.why);
        return 0;
    case KNELL_EVENT_LEAVE:
        knell__depart(step);
        return 0;
    case KNELL_EVENT_TRIGGER:
        knell__ring_trigger(step);
        return 0;
    case KNELL_EVENT_GROUP:
        knell__group_register(step, event->as.group.group);
        return 0;
    case KNELL_EVENT_DROP:
        return knell__group_drop(step, event->as.drop.id);
    case KNELL_EVENT_PROPOSE:
        return knell__agree_propose(step, event);
    case KNELL_EVENT_REVOKE:
        knell__revoke(step, knell__group_find(step->node, event->as.revoke.group));
        return 0;
    default:
        return KNELL_EINVAL;
    }
}

IN_STEP int dispatch(struct knell__step *step, const struct knell_event *event)
{
    switch (event->type) {
    case KNELL_EVENT_MESSAGE:
        return on_message(step, &event->as.message.route, event->as.message.body);
    case KNELL_EVENT_TICK:
        if (knell__ring_tick(step))
            suspect(step, step->node->emitter, KNELL_WHY_TIMEOUT);
        return 0;
    default:
        return on_wish(step, event);
    }
}

int knell_node_step(struct knell_node *node, const struct knell_event *event, const struct knell_sink *sink)
{
    struct knell__step step = {node, event->now, sink};
    assert(event->type != KNELL_EVENT_MESSAGE || event->as.message.body);
    assert(event->type != KNELL_EVENT_GROUP || event->as.group.group);
    int error = check_event(node, event);
    if (error == 0 && node->triggered) {
        knell__ring_trigger_again(&step, &event->as.message.route, event->as.message.body);
        return 0;
    }
    if (error == 0)
        error = knell__room_for(node, event);
    if (error)
        return error;
    error = dispatch(&step, event);
    if (__builtin_expect(node->leaving, 0) && node->state == KNELL_STATE_RUNNING)
        knell__depart_advance(&step);
    return error;
}

/* ---- questions ------------------------------------------------------------------------------------------------------------ */

enum knell_state knell_node_state(const struct knell_node *node)
{
    return node->state;
}

knell_rank knell_node_emitter(const struct knell_node *node)
{
    return node->emitter;
}

knell_rank knell_node_observer(const struct knell_node *node)
{
    return node->observer;
}

bool knell_node_is_gone(const struct knell_node *node, knell_rank rank)
{
    return knell__is_gone(node, rank);
}

struct knell_dead knell_node_dead(const struct knell_node *node)
{
    return knell__dead(node);
}

bool knell_node_is_revoked(const struct knell_node *node, uint64_t group)
{
    const struct knell__member *member = knell__group_find((struct knell_node *)node, group);
    return member && member->revoked;
}

uint64_t knell_node_failures(const struct knell_node *node, uint64_t group)
{
    const struct knell_group *found = knell__group_of((struct knell_node *)node, group);
    return found ? knell__digest_in(node, found) : 0;
}
