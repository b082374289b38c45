/* dropped.c: the ids of groups that were dropped here, as sorted stretches: neighbours share one, so a driver that counts its ids up
 * pays for a few. Exact and for ever: what comes for such a group is late, never early, and must not wait. */
#include "core/dropped.h"
#include "core/memory.h"

#include <assert.h>
#include <string.h>

static struct knell__ids *stretches(struct knell_node *node)
{
    return (struct knell__ids *)((char *)node + knell__areas_of(&node->limits).dropped);
}

/* The first stretch that ends at or after `id`. */
static uint32_t find(struct knell_node *node, uint64_t id)
{
    const struct knell__ids *ids = stretches(node);
    uint32_t low = 0, high = node->dropped;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ids[middle].last < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool knell__is_dropped(struct knell_node *node, uint64_t id)
{
    uint32_t at = find(node, id);
    return at < node->dropped && stretches(node)[at].first <= id;
}

void knell__remember_dropped(struct knell_node *node, uint64_t id)
{
    struct knell__ids *ids = stretches(node);
    uint32_t at = find(node, id);
    assert(!knell__is_dropped(node, id));
    bool joins_left = at > 0 && ids[at - 1].last + 1 == id;
    bool joins_right = at < node->dropped && id + 1 == ids[at].first;
    if (joins_left && joins_right) {
        ids[at - 1].last = ids[at].last;
        memmove(&ids[at], &ids[at + 1], (--node->dropped - at) * sizeof *ids);
    } else if (joins_left) {
        ids[at - 1].last = id;
    } else if (joins_right) {
        ids[at].first = id;
    } else {
        assert(node->dropped < node->limits.dropped); /* the room check saw to it */
        memmove(&ids[at + 1], &ids[at], (node->dropped++ - at) * sizeof *ids);
        ids[at] = (struct knell__ids){id, id};
    }
}
