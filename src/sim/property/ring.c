/* I4: when all is calm, every living node watches, and beats to, its closest living neighbours. */
#include "sim/property/property.h"

static knell_rank neighbour(const struct knell_check *check, knell_rank node, uint32_t step)
{
    const struct knell_config *config = &check->plan.config;
    uint32_t n = config->ranks, position = config->ring_position ? config->ring_position[node] : node;
    knell_rank rank;
    do {
        position = (position + step) % n;
        rank = config->ring_order ? config->ring_order[position] : position;
    } while (rank != node && !check->world->alive[rank]);
    return rank;
}

static void at_end(struct knell_check *check)
{
    uint32_t n = check->plan.config.ranks;
    for (knell_rank node = 0; node < n && check->settled; node++) {
        const struct knell_node *state = check->world->node[node];
        if (!check->world->alive[node] || check->world->living < 2)
            continue;
        if (knell_node_emitter(state) != neighbour(check, node, n - 1))
            knell_check_violate(check, &knell_property_ring, "node %u watches %u", node, knell_node_emitter(state));
        if (knell_node_observer(state) != neighbour(check, node, 1))
            knell_check_violate(check, &knell_property_ring, "node %u beats to %u", node, knell_node_observer(state));
    }
}

const struct knell_property knell_property_ring = {
    .name = "ring", .says = "the ring closes over the dead", .end = at_end};
