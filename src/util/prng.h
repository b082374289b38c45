/* Random numbers that depend on nothing but a key: the ground of one-line reproduction.
 *
 * Two generators. knell_prng_at() is counter-based: a draw is a pure function of (key, counter), so the delay of
 * message 7 of node 12 in run 3 is the same whatever was drawn before it and on whichever thread. struct knell_prng
 * is a fast sequential stream (xoshiro256**, Blackman and Vigna 2018) for long series inside one run, seeded from a
 * key.
 *
 * Not for secrets: both are invertible. No libm here, the core links with this file; distributions are in
 * sim/dist.h. */
#ifndef KNELL_UTIL_PRNG_H
#define KNELL_UTIL_PRNG_H

#include <stdint.h>

struct knell_prng {
    uint64_t s[4];
};

/* The draw number `counter` of the stream `key`: 64 well mixed bits. */
uint64_t knell_prng_at(uint64_t key, uint64_t counter);

/* A key out of a parent key and a number: chain it, knell_prng_key(knell_prng_key(seed, run), PURPOSE_DELAY). */
uint64_t knell_prng_key(uint64_t parent, uint64_t number);

void knell_prng_seed(struct knell_prng *g, uint64_t key);

/* Uniform in [0, n), exactly, for n >= 1, from 64 random bits when they suffice; `redraw` is the slow path of
 * knell_prng_below and not for callers. */
uint64_t knell__prng_below_redraw(struct knell_prng *g, uint64_t n, uint64_t high, uint64_t low);

static inline uint64_t knell__prng_rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t knell_prng_next(struct knell_prng *g)
{
    uint64_t *s = g->s;
    uint64_t result = knell__prng_rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = knell__prng_rotl(s[3], 45);
    return result;
}

/* 53 bits as a double in [0, 1). */
static inline double knell_prng_unit_of(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* 53 bits as a double in (0, 1]: safe to take the logarithm of, and the papers' delay in (0, tau]. */
static inline double knell_prng_unit_open_of(uint64_t bits)
{
    return (double)((bits >> 11) + 1) * 0x1p-53;
}

static inline double knell_prng_unit(struct knell_prng *g)
{
    return knell_prng_unit_of(knell_prng_next(g));
}

static inline double knell_prng_unit_open(struct knell_prng *g)
{
    return knell_prng_unit_open_of(knell_prng_next(g));
}

/* Uniform in [0, n) without bias, n >= 1: the high half of a 128-bit product, redrawn in the rare uneven part
 * (Lemire 2019). */
static inline uint64_t knell_prng_below(struct knell_prng *g, uint64_t n)
{
    unsigned __int128 product = (unsigned __int128)knell_prng_next(g) * n;

    if ((uint64_t)product >= n)
        return (uint64_t)(product >> 64);
    return knell__prng_below_redraw(g, n, (uint64_t)(product >> 64), (uint64_t)product);
}

#endif
