/* grow: arrays that grow, for the simulator's containers. */
#ifndef KNELL_SIM_GROW_H
#define KNELL_SIM_GROW_H

#include "util/heap.h"

#include <stdbool.h>
#include <stdlib.h>

/* Room for one more entry. False: no memory. */
static inline bool knell__heap_reserve(struct knell_heap *heap)
{
    if (heap->count < heap->room)
        return true;
    uint32_t room = heap->room ? 2 * heap->room : 64;
    struct knell_heap_entry *entry = realloc(heap->entry, (size_t)room * sizeof *entry);
    if (!entry)
        return false;
    heap->entry = entry;
    heap->room = room;
    return true;
}

#endif
