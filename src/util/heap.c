/* heap: see heap.h. */
#include "util/heap.h"

#include <assert.h>
#include <stdbool.h>

static bool is_before(const struct knell_heap_entry *a, const struct knell_heap_entry *b)
{
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

void knell_heap_put(struct knell_heap *heap, int64_t key, uint64_t number, uint32_t value)
{
    assert(heap->count < heap->room);
    struct knell_heap_entry put = {key, number, value};
    uint32_t at = heap->count++;
    while (at > 0 && is_before(&put, &heap->entry[(at - 1) / 2])) {
        heap->entry[at] = heap->entry[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->entry[at] = put;
}

uint32_t knell_heap_take(struct knell_heap *heap)
{
    assert(heap->count);
    uint32_t value = heap->entry[0].value, at = 0, child;
    struct knell_heap_entry last = heap->entry[--heap->count];
    while ((child = 2 * at + 1) < heap->count) {
        if (child + 1 < heap->count && is_before(&heap->entry[child + 1], &heap->entry[child]))
            child++;
        if (!is_before(&heap->entry[child], &last))
            break;
        heap->entry[at] = heap->entry[child];
        at = child;
    }
    heap->entry[at] = last;
    return value;
}
