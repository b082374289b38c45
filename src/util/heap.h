/* heap: a binary heap of numbered entries in the caller's array, smallest key first, then smallest number. */
#ifndef KNELL_UTIL_HEAP_H
#define KNELL_UTIL_HEAP_H

#include <stdint.h>

struct knell_heap_entry {
    int64_t key;
    uint64_t number;
    uint32_t value;
};

/* All zero is an empty heap without room. */
struct knell_heap {
    struct knell_heap_entry *entry;
    uint32_t count;
    uint32_t room; /* entries the array has */
};

/* There is room. */
void knell_heap_put(struct knell_heap *heap, int64_t key, uint64_t number, uint32_t value);

/* The smallest key; INT64_MAX when empty. */
static inline int64_t knell_heap_key(const struct knell_heap *heap)
{
    return heap->count ? heap->entry[0].key : INT64_MAX;
}

/* Takes the smallest out and returns its value; there is one. */
uint32_t knell_heap_take(struct knell_heap *heap);

#endif
