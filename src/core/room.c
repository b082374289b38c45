/* room.c: the check before each step that everything it may add fits, so that a step happens wholly or not at all.
 *
 * Conservative where exactness would cost a merge: it may ask for memory a little early, never too late. What is missing
 * is written down in the node, so that one move is enough whatever the step needs. */
#include "core/room.h"
#include "core/agree.h"
#include "core/broadcast.h"
#include "core/dropped.h"
#include "core/group.h"
#include "core/registry.h"

struct room {
    struct knell_node *node;
    struct knell_limits need; /* fields that suffice are as they are */
    bool is_short;
};

static void need(struct room *room, uint32_t *field, uint64_t least)
{
    if (*field >= least)
        return;
    *field = least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
    room->is_short = true;
}

/* A list over r ranks never has more than r / 2 + 1 ranges. */
static void need_ranges(struct room *room, uint64_t have, uint64_t more)
{
    uint64_t most = room->node->config->ranks / 2 + 1;
    need(room, &room->need.dead_ranges, have + more < most ? have + more : most);
}

static void need_dead(struct room *room, uint64_t gone, uint64_t left)
{
    need_ranges(room, room->node->gone_ranges, gone);
    need_ranges(room, room->node->left_ranges, left);
}

/* A decision, which any step may bring, settles stretches of what is gone after it: `gone` new ones, `told` in the message. */
static void need_settled(struct room *room, uint64_t gone, uint64_t told)
{
    const struct knell_node *node = room->node;
    if (node->config->on_split == KNELL_SPLIT_END)
        need_ranges(room, node->settled_ranges, node->gone_ranges + gone + told);
}

static void need_agreement(struct room *room, uint64_t group, unsigned kind)
{
    struct knell_node *node = room->node;
    if (node->agreements == node->limits.agreements && !knell__agreement_find(node, group, kind))
        need(room, &room->need.agreements, (uint64_t)node->agreements + 1);
}

/* Ranges of a slot: what is covered grows by at most one with each contribution. */
static void need_slots(struct room *room, uint64_t group, unsigned kind, uint64_t contributions)
{
    const struct knell__agreement *agreement = knell__agreement_find(room->node, group, kind);
    uint64_t have = 0;
    for (unsigned i = 0; agreement && i < 2; i++)
        if (agreement->slot[i].ranges > have)
            have = agreement->slot[i].ranges;
    need_ranges(room, have, contributions);
}

static void need_for_group_message(struct room *room, const struct knell_body *body)
{
    struct knell_node *node = room->node;
    bool known = knell__group_find(node, body->group);
    if (!known && knell__is_dropped(node, body->group))
        return; /* nothing of it is kept */
    if (body->flags & KNELL_FLAG_HELD || (!known && body->flags & KNELL_FLAG_ANSWER))
        return; /* one who leaves: nothing waits */
    need(room, &room->need.value_bytes, body->value_size);
    need(room, &room->need.dead_ranges, body->agreed_ranges);
    if (!known) {
        need(room, &room->need.pending_bytes, (uint64_t)node->pending_used + knell__pending_size(body));
        return;
    }
    unsigned kind = body->type == KNELL_MESSAGE_REVOKE ? KNELL_KIND_CREATE : body->kind;
    need_agreement(room, body->group, kind);
    need_slots(room, body->group, kind, 1);
}

static void need_for_message(struct room *room, const struct knell_body *body)
{
    struct knell_node *node = room->node;
    if (body->type == KNELL_MESSAGE_HEARTBEAT)
        return; /* it brings a digest, and nobody's name */
    bool same = body->dead.digest == knell__digest(node);
    bool subject = body->subject != KNELL_NOBODY;
    uint64_t left = same ? 0 : body->dead.left_ranges;
    /* Departures are merged first: until the stretch of dead around them follows, each is a stretch of its own. */
    uint64_t gone = same ? 0 : body->dead.gone_ranges + left;
    need_dead(room, gone + subject, left + (body->why == KNELL_WHY_LEFT));
    need_settled(room, gone + 1, (uint64_t)body->dead.settled_ranges + body->agreed_ranges);
    switch (body->type) {
    case KNELL_MESSAGE_TRIGGER:
        need_dead(room, 1, 0);
        break;
    case KNELL_MESSAGE_BROADCAST:
        if (node->sources == node->limits.sources && !knell__source_find(node, body->source))
            need(room, &room->need.sources, (uint64_t)node->sources + 1);
        break;
    case KNELL_MESSAGE_REVOKE:
    case KNELL_MESSAGE_UP:
    case KNELL_MESSAGE_DOWN:
        need_for_group_message(room, body);
        break;
    default:
        break;
    }
}

/* A group that is registered takes up all early messages at once. */
static void need_for_group(struct room *room)
{
    struct knell_node *node = room->node;
    need(room, &room->need.groups, node->groups);
    if (node->pending_used == 0)
        return;
    need_settled(room, 0, node->pending_used / sizeof(struct knell_range));
    need(room, &room->need.agreements, (uint64_t)node->agreements + KNELL_KIND_END);
    need_ranges(room, 0, node->pending_used / knell__pending_size(&(struct knell_body){.type = KNELL_MESSAGE_UP}));
}

static void need_for_event(struct room *room, const struct knell_event *event)
{
    switch (event->type) {
    case KNELL_EVENT_MESSAGE:
        need_for_message(room, event->as.message.body);
        break;
    case KNELL_EVENT_TICK:
    case KNELL_EVENT_SUSPECT:
        need_dead(room, 1, 0);
        need_settled(room, 1, 0);
        break;
    case KNELL_EVENT_GROUP:
        need_for_group(room);
        break;
    case KNELL_EVENT_REVOKE:
        need_agreement(room, event->as.revoke.group, KNELL_KIND_CREATE);
        need_settled(room, 0, 0);
        break;
    case KNELL_EVENT_PROPOSE:
        need_agreement(room, event->as.propose.group, event->as.propose.kind);
        need(room, &room->need.value_bytes, event->as.propose.size);
        need_settled(room, 0, 0);
        break;
    case KNELL_EVENT_START:
    case KNELL_EVENT_RESUMED:
    case KNELL_EVENT_LEAVE:
    case KNELL_EVENT_TRIGGER:
        break;
    case KNELL_EVENT_DROP:
        if (event->as.drop.id != KNELL_WORLD && knell__group_find(room->node, event->as.drop.id))
            need(room, &room->need.dropped, (uint64_t)room->node->dropped + 1); /* a stretch of its own, at most */
        break;
    }
}

int knell__room_for(struct knell_node *node, const struct knell_event *event)
{
    struct room room = {.node = node, .need = node->limits};
    need_for_event(&room, event);
    if (!room.is_short)
        return 0;
    node->needed = room.need;
    return KNELL_EFULL;
}
