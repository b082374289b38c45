/* broadcast.c: spreading deaths and departures reliably, task T5 (docs/design/protocol.md, "Broadcast" and "Anti-entropy").
 *
 * A broadcast carries the source's whole list; its overlay is built over the complement of that list, the same for all
 * who forward it. Merging is always done, forwarding is deduplicated on "already forwarded" and never on "already known
 * dead": a node may know the death from elsewhere and still be the only path for another. */
#include "core/broadcast.h"
#include "core/dead.h"
#include "core/overlay.h"

#include <assert.h>

struct knell__source *knell__source_find(struct knell_node *node, knell_rank rank)
{
    struct knell__source *source = knell__sources(node);
    for (uint32_t i = 0; i < node->sources; i++)
        if (source[i].rank == rank)
            return &source[i];
    return NULL;
}

static void send_hba(struct knell__step *step, uint32_t count, const knell_rank *to, struct knell_route *route,
                     uint8_t hops, const struct knell_body *body)
{
    for (uint32_t i = 0; i < count; i++) {
        route[i].from = step->node->self;
        route[i].hops = hops;
        knell__send(step, &to[i], 1, &route[i], body);
    }
}

void knell__broadcast(struct knell__step *step, knell_rank subject, enum knell_why why)
{
    struct knell_node *node = step->node;
    knell_rank to[KNELL__TARGETS_MAX];
    struct knell_route route[KNELL__TARGETS_MAX];
    struct knell_body body = {
        .type = KNELL_MESSAGE_BROADCAST,
        .why = (uint8_t)why,
        .source = node->self,
        .sequence = ++node->sequence,
        .subject = subject,
    };
    if (!node->config->latest_only || subject == KNELL_NOBODY)
        body.dead = knell__dead(node);
    struct knell__roster roster = knell__roster_make(node->config->ranks, NULL, &body.dead);
    KNELL__COUNT(node, broadcasts_started, 1);
    if (node->config->overlay == KNELL_OVERLAY_HBA) {
        send_hba(step, knell__hba_first(&roster, node->self, to, route), to, route, 1, &body);
        return;
    }
    uint32_t count = knell__circulant_targets(&roster, node->self, node->self, to);
    knell__send(step, to, count, &(struct knell_route){.from = node->self, .hops = 1}, &body);
}

/* First reception of this broadcast? Remembers that it was. */
static bool is_first(struct knell_node *node, const struct knell_body *body)
{
    struct knell__source *source = knell__source_find(node, body->source);
    if (source && body->sequence <= source->highest)
        return false;
    if (!source) {
        assert(node->sources < node->limits.sources);
        source = &knell__sources(node)[node->sources++];
        source->rank = body->source;
    }
    source->highest = body->sequence;
    return true;
}

static void forward(struct knell__step *step, const struct knell_route *route, const struct knell_body *body)
{
    struct knell_node *node = step->node;
    knell_rank to[KNELL__TARGETS_MAX];
    struct knell__roster roster = knell__roster_make(node->config->ranks, NULL, &body->dead);
    if (!knell__roster_has(&roster, body->source))
        return;
    uint8_t hops = route->hops == UINT8_MAX ? UINT8_MAX : (uint8_t)(route->hops + 1);
    KNELL__COUNT(node, broadcasts_forwarded, 1);
    if (node->config->overlay == KNELL_OVERLAY_HBA) {
        struct knell_route routes[KNELL__TARGETS_MAX];
        send_hba(step, knell__hba_next(&roster, body->source, node->self, route, to, routes), to, routes, hops, body);
        return;
    }
    uint32_t count = knell__circulant_targets(&roster, body->source, node->self, to);
    knell__send(step, to, count, &(struct knell_route){.from = node->self, .hops = hops}, body);
}

bool knell__broadcast_received(struct knell__step *step, const struct knell_route *route, const struct knell_body *body)
{
    struct knell_node *node = step->node;
    bool first = body->source != node->self && (node->config->overlay == KNELL_OVERLAY_HBA || is_first(node, body));
    /* Overtaken by a later one of the same source, which carries this death in its list. With latest_only it does not:
     * then this is forwarded too, if it is news here. */
    if (!first && node->config->latest_only && body->source != node->self && body->subject != KNELL_NOBODY)
        first = !knell__is_gone(node, body->subject);
    if (first)
        forward(step, route, body);
    else if (!node->config->latest_only)
        return false; /* this list, or a longer one of the same source, was merged before: nothing in it is news */
    /* As the fence and the room check saw it: the subject changes the node's digest, and must not make it look again at a
     * list that both took for its own. */
    bool same = body->dead.digest == knell__digest(node);
    bool news = body->subject != KNELL_NOBODY && knell__learn(step, body->subject, body->source, body->why);
    if (!same)
        news |= knell__merge(step, &body->dead, body->source);
    return news;
}

/* ---- anti-entropy ---------------------------------------------------------------------------------------------------- */

void knell__sync_send(struct knell__step *step, knell_rank to, uint8_t flags)
{
    struct knell_body body = {
        .type = KNELL_MESSAGE_SYNC,
        .flags = flags,
        .subject = KNELL_NOBODY,
        .dead = knell__dead(step->node),
    };
    KNELL__COUNT(step->node, syncs, 1);
    knell__send_one(step, to, &body);
}

/* The list was merged before. Who learned something that a broadcast should have brought starts one of its own: most
 * likely others miss it too. */
void knell__sync_received(struct knell__step *step, knell_rank from, const struct knell_body *body, bool news)
{
    struct knell_node *node = step->node;
    if (news)
        knell__broadcast(step, KNELL_NOBODY, KNELL_WHY_TOLD);
    if ((body->flags & KNELL_FLAG_ANSWER) && body->dead.digest != knell__digest(node))
        knell__sync_send(step, from, 0);
}
