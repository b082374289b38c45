/* The mixing functions and the cold paths of prng.h. The hot paths are inline there. */
#include "util/prng.h"

#include <assert.h>

#define GOLDEN 0x9e3779b97f4a7c15u /* 2^64 / phi, odd: successive multiples are spread evenly */

/* A bijection of 64 bits in which every input bit flips every output bit with probability close to 1/2 (the
 * finaliser of splitmix64 with Stafford's constants, variant 13). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Two rounds with the key entering each: with one, streams of different keys would be shifted copies of one
 * sequence. */
uint64_t knell_prng_at(uint64_t key, uint64_t counter)
{
    uint64_t k = mix(key + GOLDEN);

    return mix(mix(counter * GOLDEN + k) + knell__prng_rotl(k, 32));
}

/* Unlike a draw, a key must not collide with draws of its parent: the complement moves it to another place. */
uint64_t knell_prng_key(uint64_t parent, uint64_t number)
{
    return knell_prng_at(~parent, number);
}

void knell_prng_seed(struct knell_prng *g, uint64_t key)
{
    for (uint64_t i = 0; i < 4; i++)
        g->s[i] = knell_prng_at(key, i);
    g->s[0] |= 1; /* the all-zero state is the one fixed point of xoshiro */
}

uint64_t knell__prng_below_redraw(struct knell_prng *g, uint64_t n, uint64_t high, uint64_t low)
{
    assert(n > 0);
    uint64_t uneven = -n % n; /* 2^64 mod n: so many low halves occur once too often */

    while (low < uneven) {
        unsigned __int128 product = (unsigned __int128)knell_prng_next(g) * n;

        high = (uint64_t)(product >> 64);
        low = (uint64_t)product;
    }
    return high;
}
