/* A random order of 0 .. n - 1 that takes no memory: a small block cipher (a Feistel network), walked until it falls below n. */
#ifndef KNELL_SIM_SHUFFLE_H
#define KNELL_SIM_SHUFFLE_H

#include <stdint.h>

/* Some bits that depend on all three. */
static inline uint64_t knell__shuffle_mix(uint64_t key, uint64_t round, uint64_t x)
{
    uint64_t y = ((key + round * 0xbf58476d1ce4e5b9u) ^ x * 0x94d049bb133111ebu) * 0x9e3779b97f4a7c15u;
    return ((y ^ y >> 32) * 0xd6e8feb86659fd93u) >> 32;
}

/* What comes at place `index` < n of the order `key` (64 random bits); n >= 1. Each of the n once. */
static inline uint32_t knell__shuffle_at(uint64_t key, uint32_t n, uint32_t index)
{
    enum { ROUNDS = 10 }; /* 6 leave neighbours uneven by a tenth where n is small */
    unsigned half = 1;
    while (UINT64_C(1) << 2 * half < n)
        half++;
    uint64_t mask = (UINT64_C(1) << half) - 1, x = index;
    do
        for (uint64_t round = 0; round < ROUNDS; round++)
            x = (x & mask) << half | ((x >> half ^ knell__shuffle_mix(key, round, x & mask)) & mask);
    while (x >= n);
    return (uint32_t)x;
}

#endif
