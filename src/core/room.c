/* room.c: the check before each step that everything it may add fits, so that a step happens wholly or not at all.
 *
 * Conservative where exactness would cost a merge: it may ask for memory a little early, never too late. */
#include "core/room.h"

static bool ranges_fit(const struct knell_node *node, uint64_t have, uint64_t more)
{
    return have + more <= node->limits.dead_ranges || node->limits.dead_ranges > node->config->ranks / 2;
}

static uint8_t short_for_dead(const struct knell_node *node, uint64_t gone, uint64_t left)
{
    bool fits = ranges_fit(node, node->gone_ranges, gone) && ranges_fit(node, node->left_ranges, left);
    return fits ? 0 : KNELL__SHORT_DEAD;
}

static uint8_t short_for_agreement(struct knell_node *node, uint64_t group, unsigned kind)
{
    if (node->agreements < node->limits.agreements || knell__agreement_find(node, group, kind))
        return 0;
    return KNELL__SHORT_AGREEMENTS;
}

/* Ranges of a slot: what is covered grows by at most one with each contribution. */
static uint8_t short_for_slots(struct knell_node *node, uint64_t group, unsigned kind, uint64_t contributions)
{
    const struct knell__agreement *agreement = knell__agreement_find(node, group, kind);
    uint64_t have = 0;
    for (unsigned i = 0; agreement && i < 2; i++)
        if (agreement->slot[i].ranges > have)
            have = agreement->slot[i].ranges;
    return ranges_fit(node, have, contributions) ? 0 : KNELL__SHORT_DEAD;
}

static uint8_t short_for_group_message(struct knell_node *node, const struct knell_body *body)
{
    uint8_t is_short = body->value_size > node->limits.value_bytes ? KNELL__SHORT_VALUE : 0;
    if (body->agreed_ranges > node->limits.dead_ranges)
        is_short |= KNELL__SHORT_DEAD;
    const struct knell__member *member = knell__group_find(node, body->group);
    if (!member) {
        bool fits = (uint64_t)node->pending_used + knell__pending_size(body) <= node->limits.pending_bytes;
        return is_short | (fits ? 0 : KNELL__SHORT_PENDING);
    }
    if (!member->group)
        return is_short;
    unsigned kind = body->type == KNELL_MESSAGE_REVOKE ? KNELL_KIND_CREATE : body->kind;
    return is_short | short_for_agreement(node, body->group, kind) | short_for_slots(node, body->group, kind, 1);
}

static uint8_t short_for_message(struct knell_node *node, const struct knell_body *body)
{
    bool same = body->dead.digest == node->gone_digest + node->left_digest;
    bool subject = body->subject != KNELL_NOBODY;
    uint32_t left = same ? 0 : body->dead.left_ranges;
    /* Departures are merged first: until the stretch of dead around them follows, each is a stretch of its own. */
    uint32_t gone = same ? 0 : body->dead.gone_ranges + left;
    uint8_t is_short = short_for_dead(node, gone + subject, left + (body->why == KNELL_WHY_LEFT));
    switch (body->type) {
    case KNELL_MESSAGE_TRIGGER:
        return short_for_dead(node, 1, 0);
    case KNELL_MESSAGE_BROADCAST:
        if (node->sources == node->limits.sources && !knell__source_find(node, body->source))
            is_short |= KNELL__SHORT_SOURCES;
        return is_short;
    case KNELL_MESSAGE_REVOKE:
    case KNELL_MESSAGE_UP:
    case KNELL_MESSAGE_DOWN:
        return is_short | short_for_group_message(node, body);
    default:
        return is_short;
    }
}

/* A group that is registered takes up all early messages at once. */
static uint8_t short_for_group(struct knell_node *node)
{
    uint8_t is_short = 0;
    bool entry = node->groups <= node->limits.groups;
    const struct knell__member *member =
        (const struct knell__member *)((char *)node + knell__areas_of(&node->limits).groups);
    for (uint32_t i = 1; !entry && i < node->groups; i++)
        entry = !member[i].group;
    if (!entry)
        is_short |= KNELL__SHORT_GROUPS;
    if (node->pending_used && node->agreements + KNELL_KIND_END > node->limits.agreements)
        is_short |= KNELL__SHORT_AGREEMENTS;
    if (!ranges_fit(node, 0, node->pending_used / knell__pending_size(&(struct knell_body){.type = KNELL_MESSAGE_UP})))
        is_short |= KNELL__SHORT_DEAD;
    return is_short;
}

int knell__room_for(struct knell_node *node, const struct knell_event *event)
{
    uint8_t is_short = 0;
    switch (event->type) {
    case KNELL_EVENT_MESSAGE:
        is_short = short_for_message(node, event->as.message.body);
        break;
    case KNELL_EVENT_TICK:
    case KNELL_EVENT_SUSPECT:
        is_short = short_for_dead(node, 1, 0);
        break;
    case KNELL_EVENT_GROUP:
        is_short = short_for_group(node);
        break;
    case KNELL_EVENT_REVOKE:
        is_short = short_for_agreement(node, event->as.revoke.group, KNELL_KIND_CREATE);
        break;
    case KNELL_EVENT_PROPOSE:
        is_short = short_for_agreement(node, event->as.propose.group, event->as.propose.kind);
        if (event->as.propose.size > node->limits.value_bytes)
            is_short |= KNELL__SHORT_VALUE;
        break;
    case KNELL_EVENT_START:
    case KNELL_EVENT_RESUMED:
    case KNELL_EVENT_LEAVE:
    case KNELL_EVENT_TRIGGER:
    case KNELL_EVENT_DROP:
        break;
    }
    if (is_short == 0)
        return 0;
    node->short_of = is_short;
    return KNELL_EFULL;
}
