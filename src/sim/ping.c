/* See ping.h. Exact, but not throw by throw: after the first round only the nodes not yet hit matter, about N/e of
 * them, then N/e^2, ... A pinger outside that set U hits it with probability u/(N-1), independently of the others,
 * and then each member alike: so the hits are found by geometric skips over the pingers, and what misses U is never
 * drawn. */
#include "sim/ping.h"
#include "sim/dist.h"
#include "util/prng.h"

#include <stdlib.h>
#include <string.h>

struct knell_ping {
    uint32_t nodes;
    uint8_t *count;    /* first round: pings on a node, saturating; later rounds: 1 if hit */
    uint32_t *missing; /* U, n_missing of them */
    uint32_t n_missing;
};

struct knell_ping *knell_ping_new(uint32_t nodes)
{
    struct knell_ping *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->nodes = nodes;
    p->count = malloc(nodes);
    p->missing = malloc(nodes * sizeof *p->missing);
    if (!p->count || !p->missing) {
        knell_ping_free(p);
        return NULL;
    }
    return p;
}

void knell_ping_free(struct knell_ping *p)
{
    if (p) {
        free(p->count);
        free(p->missing);
        free(p);
    }
}

/* The first round, and any in which U is still large: everybody throws. Counts saturate at 255: more pings than that
 * on one of 257 or more nodes have a probability below 1e-500. */
static void throw_all(struct knell_ping *p, struct knell_prng *g)
{
    uint32_t others = p->nodes - 1;

    for (uint32_t pinger = 0; pinger < others; pinger++) {
        uint32_t target = (uint32_t)knell_prng_below(g, others);

        target += target >= pinger;
        p->count[target] += p->count[target] < UINT8_MAX;
    }
}

/* Of `pingers` outside U each hits U with probability u/(N-1), and then every member alike. */
static void throw_from_outside(struct knell_ping *p, struct knell_prng *g, uint32_t pingers)
{
    double log_miss = log1p(-(double)p->n_missing / (p->nodes - 1));

    for (double at = knell_dist_skip(g, log_miss); at < pingers; at += 1 + knell_dist_skip(g, log_miss))
        p->count[p->missing[knell_prng_below(g, p->n_missing)]] = 1;
}

/* Members of U ping too, but never themselves; the dead one, which would come last in U, does not. */
static void throw_from_inside(struct knell_ping *p, struct knell_prng *g, uint32_t pingers)
{
    uint32_t others = p->nodes - 1;

    for (uint32_t i = 0; i < pingers; i++) {
        uint32_t target = (uint32_t)knell_prng_below(g, others);

        if (target < p->n_missing - 1) {
            target += target >= i;
            p->count[p->missing[target]] = 1;
        }
    }
}

static void throw_at_missing(struct knell_ping *p, struct knell_prng *g)
{
    uint32_t living = p->nodes - 1;
    uint32_t inside = p->n_missing - (p->missing[p->n_missing - 1] == p->nodes - 1);

    throw_from_outside(p, g, living - inside);
    throw_from_inside(p, g, inside);
}

/* U without those hit; stays sorted. */
static void forget_hit(struct knell_ping *p)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < p->n_missing; i++) {
        uint32_t node = p->missing[i];

        p->missing[kept] = node;
        kept += p->count[node] == 0;
    }
    p->n_missing = kept;
}

static uint8_t fullest(const struct knell_ping *p)
{
    uint8_t most = 0;

    for (uint32_t i = 0; i < p->nodes; i++)
        most = p->count[i] > most ? p->count[i] : most;
    return most;
}

void knell_ping_run(struct knell_ping *p, uint64_t key, struct knell_ping_result *result)
{
    struct knell_prng g;
    uint64_t rounds = 1;

    knell_prng_seed(&g, key);
    memset(p->count, 0, p->nodes);
    for (uint32_t i = 0; i < p->nodes; i++)
        p->missing[i] = i;
    p->n_missing = p->nodes;

    throw_all(p, &g);
    result->queue = fullest(p);
    for (forget_hit(p); p->n_missing > 0; forget_hit(p)) {
        if (p->n_missing > p->nodes / 8) /* a throw is about eight times cheaper than a skip */
            throw_all(p, &g);
        else
            throw_at_missing(p, &g);
        rounds++;
    }
    result->rounds = (double)rounds;
    result->messages = 2.0 * (p->nodes - 1) * (double)rounds;
}
