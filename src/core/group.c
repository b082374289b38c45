/* group.c: the messages of groups, those that come before their group, and revoke (docs/design/protocol.md, "Groups").
 *
 * Messages for a group not registered yet wait in the pending area, as structs followed by what they point to; the dead
 * they carry were merged on arrival. The id of a dropped group is remembered (dropped.c): stragglers do not wait for ever. */
#include "core/group.h"
#include "core/agree.h"
#include "core/dead.h"
#include "core/dropped.h"
#include "core/leave.h"
#include "core/memory.h"
#include "core/overlay.h"
#include "core/registry.h"

#include <assert.h>
#include <string.h>

static char *pending(struct knell_node *node)
{
    return (char *)node + knell__areas_of(&node->limits).pending;
}

/* ---- early messages --------------------------------------------------------------------------------------------------- */

struct early {
    uint32_t size; /* of the whole record */
    uint32_t gone_ranges;
    uint32_t left_ranges;
    uint32_t settled_ranges;
    struct knell_route route;
    struct knell_body
        body; /* agreed, gone, left, settled and value follow; their pointers are set anew when it is read */
};

/* A revoke is forwarded over the graph its list defines: that list is kept. Of the others it has been merged. */
static uint32_t kept_gone(const struct knell_body *body)
{
    return body->type == KNELL_MESSAGE_REVOKE ? body->dead.gone_ranges : 0;
}

static uint32_t kept_left(const struct knell_body *body)
{
    return body->type == KNELL_MESSAGE_REVOKE ? body->dead.left_ranges : 0;
}

static uint32_t kept_settled(const struct knell_body *body)
{
    return body->type == KNELL_MESSAGE_REVOKE ? body->dead.settled_ranges : 0;
}

uint32_t knell__pending_size(const struct knell_body *body)
{
    uint64_t ranges = (uint64_t)body->agreed_ranges + kept_gone(body) + kept_left(body) + kept_settled(body);
    uint64_t size = sizeof(struct early) + ranges * sizeof(struct knell_range) + body->value_size + 7;
    return size < UINT32_MAX ? (uint32_t)size & ~UINT32_C(7) : UINT32_MAX; /* more than any limit: never fits */
}

static char *append(char *at, const void *bytes, size_t size)
{
    if (size)
        memcpy(at, bytes, size);
    return at + size;
}

static void keep(struct knell_node *node, const struct knell_route *route, const struct knell_body *body)
{
    struct early early = {
        .size = knell__pending_size(body),
        .gone_ranges = kept_gone(body),
        .left_ranges = kept_left(body),
        .settled_ranges = kept_settled(body),
        .route = *route,
        .body = *body,
    };
    assert(node->pending_used + early.size <= node->limits.pending_bytes);
    char *at = pending(node) + node->pending_used;
    at = append(at, &early, sizeof early);
    at = append(at, body->agreed, body->agreed_ranges * sizeof *body->agreed);
    at = append(at, body->dead.gone, early.gone_ranges * sizeof *body->dead.gone);
    at = append(at, body->dead.left, early.left_ranges * sizeof *body->dead.left);
    at = append(at, body->dead.settled, early.settled_ranges * sizeof *body->dead.settled);
    append(at, body->value, body->value_size);
    node->pending_used += early.size;
}

static void deliver_early(struct knell__step *step, struct early *early)
{
    struct knell_body *body = &early->body;
    body->agreed = (const struct knell_range *)(early + 1);
    body->dead.gone = body->agreed + body->agreed_ranges;
    body->dead.gone_ranges = early->gone_ranges;
    body->dead.left = body->dead.gone + early->gone_ranges;
    body->dead.left_ranges = early->left_ranges;
    body->dead.settled = body->dead.left + early->left_ranges;
    body->dead.settled_ranges = early->settled_ranges;
    body->value = (const uint8_t *)(body->dead.settled + early->settled_ranges);
    if (body->type == KNELL_MESSAGE_REVOKE || !knell__is_gone(step->node, early->route.from)) /* I3 */
        knell__group_message(step, &early->route, body);
}

/* Hands on every message that waits for `id`. That adds nothing here: its group is known. */
static void release(struct knell__step *step, uint64_t id)
{
    struct knell_node *node = step->node;
    for (uint32_t offset = 0; offset < node->pending_used;) {
        struct early *early = (struct early *)(pending(node) + offset);
        if (early->body.group != id) {
            offset += early->size;
            continue;
        }
        deliver_early(step, early);
        uint32_t size = early->size;
        memmove(pending(node) + offset, pending(node) + offset + size, node->pending_used - offset - size);
        node->pending_used -= size;
    }
}

/* ---- coming and going -------------------------------------------------------------------------------------------------- */

void knell__group_register(struct knell__step *step, const struct knell_group *group)
{
    struct knell_node *node = step->node;
    assert(node->groups <= node->limits.groups); /* the room check saw to it */
    knell__members(node)[node->groups++] = (struct knell__member){.group = group, .id = group->id};
    release(step, group->id);
}

int knell__group_drop(struct knell__step *step, uint64_t id)
{
    struct knell_node *node = step->node;
    struct knell__member *member = knell__group_find(node, id);
    if (id == KNELL_WORLD)
        return KNELL_EINVAL;
    if (!member)
        return KNELL_EGROUP;
    *member = knell__members(node)[--node->groups];
    knell__remember_dropped(node, id);
    knell__agree_drop(node, id);
    return 0;
}

/* ---- revoke ----------------------------------------------------------------------------------------------------------- */

/* Edges of the circulant depend on who is alive, not on the source: forwarding once per distinct list is enough, however
 * many members revoke at once. Lists grow: one shorter than what was forwarded is not forwarded any more, and of one
 * length no more than a few are, so that floods end whatever is on its way. What that cuts short is spread again when the
 * lists have met (knell__revoke_dead_changed). */
static bool is_first_flood(struct knell__member *member, const struct knell_dead *dead)
{
    if (dead->size > member->flood_size) {
        member->flood_size = dead->size;
        member->floods = 0;
    }
    if (dead->size < member->flood_size || member->floods == KNELL__FLOODS)
        return false;
    for (unsigned i = 0; i < member->floods; i++)
        if (member->flood[i] == dead->digest)
            return false;
    member->flood[member->floods++] = dead->digest;
    return true;
}

static void set_revoked(struct knell__step *step, struct knell__member *member, knell_rank by)
{
    if (member->revoked)
        return;
    member->revoked = true;
    member->mended = knell__digest_in(step->node, knell__group_at(step->node, member));
    knell__tell(step, &(struct knell_fact){.type = KNELL_FACT_REVOKED, .group = member->id, .by = by});
    knell__agree_revoked(step, knell__group_at(step->node, member));
}

static void flood(struct knell__step *step, struct knell__member *member, uint8_t hops, const struct knell_body *body)
{
    struct knell_node *node = step->node;
    knell_rank to[KNELL__TARGETS_MAX];
    struct knell__roster roster = knell__roster_make(node->config->ranks, knell__group_at(node, member), &body->dead);
    if (!is_first_flood(member, &body->dead) || !knell__roster_has(&roster, body->source))
        return;
    uint32_t count = knell__circulant_targets(&roster, body->source, node->self, to);
    knell__send(step, to, count, &(struct knell_route){.from = node->self, .hops = hops}, body);
}

static void start_flood(struct knell__step *step, struct knell__member *member)
{
    struct knell_body body = {
        .type = KNELL_MESSAGE_REVOKE,
        .source = step->node->self,
        .subject = KNELL_NOBODY,
        .group = member->id,
        .dead = knell__dead(step->node),
    };
    KNELL__COUNT(step->node, broadcasts_started, 1);
    flood(step, member, 1, &body);
}

void knell__revoke(struct knell__step *step, struct knell__member *member)
{
    if (member->revoked)
        return;
    start_flood(step, member);
    set_revoked(step, member, step->node->self);
}

/* A member that turns out to be dead may have been the one who should have passed a revoke on. Whoever holds the revoke
 * spreads it once more, over a graph without the dead one: the last of these floods is cut by nobody (I12). */
void knell__revoke_dead_changed(struct knell__step *step)
{
    struct knell_node *node = step->node;
    struct knell__member *member = knell__members(node);
    for (uint32_t i = 0; i < node->groups; i++) {
        uint64_t digest = member[i].revoked ? knell__digest_in(node, knell__group_at(node, &member[i])) : 0;
        if (!member[i].revoked || digest == member[i].mended)
            continue;
        member[i].mended = digest;
        start_flood(step, &member[i]);
    }
}

static void revoke_received(struct knell__step *step, struct knell__member *member, const struct knell_route *route,
                            const struct knell_body *body)
{
    uint8_t hops = route->hops == UINT8_MAX ? UINT8_MAX : (uint8_t)(route->hops + 1);
    flood(step, member, hops, body);
    set_revoked(step, member, body->source);
}

static void take_message(struct knell__step *step, struct knell__member *member, const struct knell_route *route,
                         const struct knell_body *body)
{
    const struct knell_group *group = knell__group_at(step->node, member);
    switch (body->type) {
    case KNELL_MESSAGE_REVOKE:
        revoke_received(step, member, route, body);
        break;
    case KNELL_MESSAGE_UP:
        knell__agree_up(step, group, route->from, body);
        break;
    case KNELL_MESSAGE_DOWN:
        if (body->flags & KNELL_FLAG_HELD)
            knell__depart_answered(step, group, route->from, body);
        else
            knell__agree_down(step, group, route->from, body);
        break;
    default:
        assert(!"a message type of no group");
    }
}

/* A message of a group; its dead are merged already. One who leaves is answered also by those who do not know its group any more. */
void knell__group_message(struct knell__step *step, const struct knell_route *route, const struct knell_body *body)
{
    struct knell_node *node = step->node;
    struct knell__member *member = knell__group_find(node, body->group);
    bool of_leaving = body->flags & (KNELL_FLAG_ANSWER | KNELL_FLAG_HELD);
    if (member)
        take_message(step, member, route, body);
    else if (of_leaving || knell__is_dropped(node, body->group))
        KNELL__COUNT(node, messages_dropped, 1);
    else
        keep(node, route, body);
    if (body->flags & KNELL_FLAG_ANSWER)
        knell__depart_asked(step, route->from, body);
}
