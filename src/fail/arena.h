/* Memory that is handed out and never taken back, out of one block of the caller's. A request that does not fit
 * gives NULL and marks the arena, so that a compilation checks once at its end and at its loops, not at every
 * allocation. */
#ifndef KNELL_FAIL_ARENA_H
#define KNELL_FAIL_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct knell__arena {
    uint8_t *base;
    size_t size;
    size_t used;
    bool full;
};

/* Zeroed, aligned to 8. */
static inline void *knell__arena_take(struct knell__arena *arena, size_t size)
{
    size_t rounded = (size + 7) & ~(size_t)7;
    void *taken;

    if (rounded < size || rounded > arena->size - arena->used) {
        arena->full = true;
        return NULL;
    }
    taken = arena->base + arena->used;
    arena->used += rounded;
    memset(taken, 0, rounded);
    return taken;
}

/* A copy of `length` bytes with a 0 behind. */
static inline char *knell__arena_copy(struct knell__arena *arena, const char *text, size_t length)
{
    char *copy = knell__arena_take(arena, length + 1);

    if (copy && length > 0)
        memcpy(copy, text, length);
    return copy;
}

#endif
