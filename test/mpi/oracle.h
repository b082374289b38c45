/* oracle.h: random numbers for programs that oracle.sh runs: `common` is the same at all ranks, `own` is not. */
#ifndef KNELL_TEST_MPI_ORACLE_H
#define KNELL_TEST_MPI_ORACLE_H

#include <stdint.h>

static uint64_t common, own;

static inline int draw(uint64_t *state, int below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((*state >> 33) % (uint64_t)below);
}

static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ (x >> 29);
}

static inline void draw_from(int seed, int rank)
{
    common = mix((uint64_t)seed + 1);
    own = mix((uint64_t)seed * 31 + (uint64_t)rank + 7);
}

#endif
