/* Pinging against its exact law. The nodes of a set A are all missed in a round with probability q(A), a product
 * over the pingers; by inclusion and exclusion P(rounds > r) = sum over A of (-1)^(|A|+1) q(A)^r, and summing over r
 * gives the mean. */
#include "sim/ping.h"
#include "sim/stat.h"
#include "test.h"
#include "util/prng.h"

#include <math.h>
#include <stdlib.h>

static double choose(unsigned n, unsigned k)
{
    double c = 1;

    for (unsigned i = 1; i <= k; i++)
        c = c * (n - k + i) / i;
    return c;
}

/* a nodes, b of them alive, are all missed by the N - 1 living. */
static double missed(unsigned n, unsigned a, unsigned b)
{
    double others = n - 1;

    return pow((others - (a - 1)) / others, b) * pow((others - a) / others, others - b);
}

static double exact_mean(unsigned n)
{
    double mean = 0;

    for (unsigned a = 1; a <= n; a++) {
        double sign = a % 2 ? 1 : -1;

        if (a <= n - 1)
            mean += sign * choose(n - 1, a) / (1 - missed(n, a, a));
        mean += sign * choose(n - 1, a - 1) / (1 - missed(n, a, a - 1));
    }
    return mean;
}

/* Throw by throw, as the definition says. */
static void brute_force(unsigned n, struct knell_prng *g, double *rounds, double *queue)
{
    unsigned total[64] = {0}, hit = 0;

    *rounds = 0;
    while (hit < n) {
        for (unsigned pinger = 0; pinger < n - 1; pinger++) {
            unsigned target;

            do
                target = (unsigned)knell_prng_below(g, n);
            while (target == pinger);
            hit += total[target]++ == 0;
        }
        if ((*rounds)++ == 0) {
            *queue = 0;
            for (unsigned i = 0; i < n; i++)
                *queue = fmax(*queue, total[i]);
        }
    }
}

TEST(mean_rounds_are_exact)
{
    enum { RUNS = 100000 };
    static const unsigned sizes[] = {3, 4, 5, 8, 9, 16, 24};
    static double rounds[RUNS];

    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct knell_ping *p = knell_ping_new(sizes[i]);
        struct knell_ping_result result;

        REQUIRE(p != NULL);
        for (uint64_t r = 0; r < RUNS; r++) {
            knell_ping_run(p, knell_prng_key(i, r), &result);
            rounds[r] = result.rounds;
        }
        struct knell_stat stat = knell_stat_of(rounds, RUNS);
        test_context("n = %u", sizes[i]);
        CHECK_NEAR(stat.mean, exact_mean(sizes[i]), 2.5 * stat.ci95);
        knell_ping_free(p);
    }
}

TEST(agrees_with_brute_force)
{
    enum { RUNS = 50000, N = 60 };
    static double rounds[2][RUNS], queue[2][RUNS];
    struct knell_ping *p = knell_ping_new(N);
    struct knell_ping_result result;
    struct knell_prng g;

    REQUIRE(p != NULL);
    knell_prng_seed(&g, 5);
    for (uint64_t r = 0; r < RUNS; r++) {
        brute_force(N, &g, &rounds[0][r], &queue[0][r]);
        knell_ping_run(p, knell_prng_key(9, r), &result);
        rounds[1][r] = result.rounds;
        queue[1][r] = result.queue;
        CHECK(result.messages == 2 * (N - 1) * result.rounds);
    }
    knell_ping_free(p);

    struct knell_stat brute = knell_stat_of(rounds[0], RUNS), fast = knell_stat_of(rounds[1], RUNS);
    CHECK_NEAR(fast.mean, brute.mean, 2.5 * (brute.ci95 + fast.ci95));
    CHECK_NEAR(fast.ci95 / brute.ci95, 1, 0.05);
    brute = knell_stat_of(queue[0], RUNS);
    fast = knell_stat_of(queue[1], RUNS);
    CHECK_NEAR(fast.mean, brute.mean, 2.5 * (brute.ci95 + fast.ci95));
}

/* The paper, 4.3: about 13 rounds at 100,000 nodes; 10,000 runs give 12.5. */
TEST(a_large_platform)
{
    enum { RUNS = 100 };
    static double rounds[RUNS];
    struct knell_ping *p = knell_ping_new(100000);
    struct knell_ping_result result;

    REQUIRE(p != NULL);
    for (uint64_t r = 0; r < RUNS; r++) {
        knell_ping_run(p, r, &result);
        rounds[r] = result.rounds;
        CHECK(result.queue >= 6 && result.queue <= 14);
    }
    knell_ping_free(p);
    CHECK_NEAR(knell_stat_of(rounds, RUNS).mean, 12.5, 0.8);
}
