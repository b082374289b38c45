/* outage: see outage.h. */
#include "sim/outage.h"

#include <stdlib.h>

struct knell_outage *knell_outage_new(uint32_t ranks)
{
    struct knell_outage *outage = calloc(1, sizeof *outage);
    if (!outage)
        return NULL;
    outage->ranks = ranks;
    outage->node = calloc(ranks, sizeof *outage->node);
    if (outage->node)
        return outage;
    free(outage);
    return NULL;
}

void knell_outage_free(struct knell_outage *outage)
{
    if (!outage)
        return;
    for (uint32_t rank = 0; rank < outage->ranks; rank++)
        free(outage->node[rank].waiting);
    free(outage->node);
    knell_links_free(&outage->links);
    free(outage->held_up);
    free(outage);
}

/* Bodies of what still waits go with the world's bodies. */
void knell_outage_begin(struct knell_outage *outage)
{
    knell_links_clear(&outage->links);
    outage->held_count = 0;
    for (uint32_t rank = 0; rank < outage->ranks; rank++) {
        struct knell_silent *node = &outage->node[rank];
        *node = (struct knell_silent){.waiting = node->waiting, .waiting_room = node->waiting_room};
    }
}

/* ---- pauses ---------------------------------------------------------------------------------------------------------------- */

bool knell_outage_pause(struct knell_world *world, knell_rank rank)
{
    struct knell_silent *node = &world->outage->node[rank];
    if (node->paused || !world->alive[rank])
        return false;
    node->paused = true;
    node->paused_at = world->now;
    return true;
}

bool knell_outage_resume(struct knell_world *world, knell_rank rank)
{
    struct knell_silent *node = &world->outage->node[rank];
    if (!node->paused || !world->alive[rank])
        return false;
    struct knell_event resumed = {.type = KNELL_EVENT_RESUMED, .as.resumed.gap = world->now - node->paused_at};
    node->paused = false;
    if (resumed.as.resumed.gap > 0)
        knell_world_step(world, rank, &resumed);
    for (uint32_t i = 0; i < node->waiting_count; i++)
        knell__world_deliver(world, node->waiting[i]);
    node->waiting_count = 0;
    if (node->tick_waits)
        knell__world_wake(world, rank);
    node->tick_waits = false;
    return true;
}

static bool keep(struct knell_silent *node, const struct knell_delivery *delivery)
{
    if (node->waiting_count == node->waiting_room) {
        uint32_t room = node->waiting_room ? 2 * node->waiting_room : 16;
        struct knell_delivery *waiting = realloc(node->waiting, room * sizeof *waiting);
        if (!waiting)
            return false;
        node->waiting = waiting;
        node->waiting_room = room;
    }
    node->waiting[node->waiting_count++] = *delivery;
    return true;
}

enum knell_fate knell__outage_fate(struct knell_world *world, const struct knell_delivery *delivery)
{
    struct knell_silent *node = &world->outage->node[delivery->to];
    if (knell__outage_drops(world->outage, delivery->route.from, delivery->to))
        return KNELL_FATE_LOST;
    if (!node->paused || !world->alive[delivery->to])
        return KNELL_FATE_ARRIVES;
    if (keep(node, delivery))
        return KNELL_FATE_WAITS;
    world->broken = true;
    return KNELL_FATE_LOST;
}

bool knell__outage_keeps_tick(struct knell_world *world, knell_rank rank)
{
    struct knell_silent *node = &world->outage->node[rank];
    node->tick_waits |= node->paused;
    return node->paused;
}

/* ---- links ----------------------------------------------------------------------------------------------------------------- */

bool knell_outage_isolate(struct knell_world *world, knell_rank rank)
{
    struct knell_silent *node = &world->outage->node[rank];
    bool changed = !node->isolated;
    node->isolated = true;
    return changed;
}

bool knell_outage_rejoin(struct knell_world *world, knell_rank rank)
{
    struct knell_silent *node = &world->outage->node[rank];
    bool changed = node->isolated || node->cut_links > 0;
    node->isolated = false;
    for (knell_rank other = 0; other < world->outage->ranks && node->cut_links > 0; other++)
        knell_outage_heal(world, rank, other);
    return changed;
}

bool knell_outage_cut(struct knell_world *world, knell_rank a, knell_rank b)
{
    if (!knell_links_cut(&world->outage->links, a, b, &world->broken))
        return false;
    world->outage->node[a].cut_links++;
    world->outage->node[b].cut_links++;
    return true;
}

bool knell_outage_heal(struct knell_world *world, knell_rank a, knell_rank b)
{
    if (!knell_links_heal(&world->outage->links, a, b))
        return false;
    world->outage->node[a].cut_links--;
    world->outage->node[b].cut_links--;
    return true;
}

bool knell__outage_drops(const struct knell_outage *outage, knell_rank from, knell_rank to)
{
    return outage->node[from].isolated || outage->node[to].isolated ||
           outage->node[from].side != outage->node[to].side || knell_links_is_cut(&outage->links, from, to);
}

/* ---- splits ---------------------------------------------------------------------------------------------------------------- */

void knell__outage_hold_up(struct knell_world *world, const struct knell_delivery *delivery)
{
    struct knell_outage *outage = world->outage;
    if (!outage->repeats || knell_bodies_get(&world->bodies, delivery->body)->type == KNELL_MESSAGE_HEARTBEAT)
        return;
    if (outage->held_count == outage->held_room) {
        uint32_t room = outage->held_room ? 2 * outage->held_room : 64;
        struct knell_delivery *grown = realloc(outage->held_up, room * sizeof *grown);
        if (!grown) {
            world->broken = true;
            return;
        }
        outage->held_up = grown;
        outage->held_room = room;
    }
    knell_bodies_hold(&world->bodies, delivery->body, 1);
    outage->held_up[outage->held_count++] = *delivery;
}

/* A channel to one that is held for dead is closed, and the dead repeat nothing. */
static bool is_repeated(const struct knell_world *world, const struct knell_delivery *delivery)
{
    knell_rank from = delivery->route.from;
    return world->alive[from] && !knell_node_is_gone(world->node[from], delivery->to);
}

void knell_outage_split(struct knell_world *world, const uint8_t *side)
{
    struct knell_outage *outage = world->outage;
    for (knell_rank rank = 0; rank < outage->ranks; rank++)
        outage->node[rank].side = side ? side[rank] : 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < outage->held_count; i++) {
        struct knell_delivery delivery = outage->held_up[i];
        if (knell__outage_drops(outage, delivery.route.from, delivery.to)) {
            outage->held_up[kept++] = delivery;
            continue;
        }
        if (is_repeated(world, &delivery))
            knell__world_send_again(world, delivery);
        knell_bodies_release(&world->bodies, delivery.body);
    }
    outage->held_count = kept;
}
