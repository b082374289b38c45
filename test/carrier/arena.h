/* arena.h: several carriers of one memory in one process, and a payload whose every byte depends on its place. */
#ifndef KNELL_TEST_CARRIER_ARENA_H
#define KNELL_TEST_CARRIER_ARENA_H

#include <knell/carrier.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

struct arena {
    unsigned processes;
    struct knell_carrier **carrier;
};

static inline struct arena arena_make(unsigned processes)
{
    struct arena arena = {processes, calloc(processes, sizeof *arena.carrier)};
    int fd;
    if (!arena.carrier || knell_carrier_make(processes, &fd) != 0)
        abort();
    for (unsigned i = 0; i < processes; i++)
        if (knell_carrier_join(fd, processes, i, &arena.carrier[i]) != 0)
            abort();
    close(fd);
    return arena;
}

static inline void arena_end(struct arena *arena)
{
    for (unsigned i = 0; i < arena->processes; i++)
        knell_carrier_leave(arena->carrier[i]);
    free(arena->carrier);
}

static inline void payload_fill(uint8_t *data, size_t size, uint64_t key)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)((key * 167 + i * 31 + (i >> 8)) ^ (key >> 8));
}

static inline int payload_is(const uint8_t *data, size_t size, uint64_t key)
{
    for (size_t i = 0; i < size; i++)
        if (data[i] != (uint8_t)((key * 167 + i * 31 + (i >> 8)) ^ (key >> 8)))
            return 0;
    return 1;
}

#endif
