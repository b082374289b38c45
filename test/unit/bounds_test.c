#include "sim/bounds.h"
#include "test.h"

#include <math.h>

#define YEAR (365 * 86400.0)

TEST(failures_tolerated)
{
    static const struct {
        uint64_t n;
        unsigned f;
    } table[] = {{2, 0},  {3, 0},   {4, 1},   {7, 1},       {8, 2},
                 {16, 3}, {255, 6}, {256, 7}, {256000, 16}, {UINT64_C(1) << 31, 30}};

    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        CHECK_EQ_U64(knell_bounds_f_max(table[i].n), table[i].f);
}

TEST(times_by_hand)
{
    /* n = 16, tau = 1, delta = 10: B = 32. */
    CHECK_NEAR(knell_bounds_broadcast(16, 1), 32, 0);
    CHECK_NEAR(knell_bounds_reconnect(0, 10, 1), 0, 0);
    CHECK_NEAR(knell_bounds_reconnect(1, 10, 1), 21, 0);
    CHECK_NEAR(knell_bounds_reconnect(3, 10, 1), 123, 0);
    CHECK_NEAR(knell_bounds_isolated(16, 10, 1), 21 + 32, 0);
    CHECK_NEAR(knell_bounds_scattered(16, 3, 10, 1), 21 + 96, 0);
    CHECK_NEAR(knell_bounds_consecutive(16, 3, 10, 1), 123 + 6 * 32, 0);
    CHECK(knell_bounds_valid(3, 1) && !knell_bounds_valid(2.9, 1));
}

/* R(f) = R(f-1) + 2 f delta + tau: equation 2 of the paper. */
TEST(reconnection_obeys_its_recurrence)
{
    for (unsigned f = 1; f < 30; f++)
        CHECK_NEAR(knell_bounds_reconnect(f, 7, 0.5), knell_bounds_reconnect(f - 1, 7, 0.5) + 2 * f * 7 + 0.5, 1e-9);
}

/* Against values to 17 digits, on both sides of mean = f + 1 and deep in the tail. */
TEST(poisson_tail)
{
    static const struct {
        double mean;
        unsigned f;
        double tail;
    } table[] = {
        {1e-30, 9, 2.7557319223985915e-307}, {1e-06, 0, 9.999995000001667e-07}, {0.5, 3, 0.0017516225562908237},
        {2.0, 15, 4.7996827572653581e-10},   {5.0, 4, 0.55950671493478754},     {4.0, 4, 0.37116306482012645},
        {30.0, 16, 0.99612727513139587},     {17.0, 16, 0.53226171612618711},   {0.01, 16, 2.7850299808749221e-49},
        {100.0, 29, 0.99999999999999989},
    };

    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        test_context("mean %g f %u", table[i].mean, table[i].f);
        CHECK_NEAR(knell_bounds_poisson_tail(table[i].mean, table[i].f) / table[i].tail, 1, 1e-12);
    }
    CHECK(knell_bounds_poisson_tail(0, 3) == 0);
    CHECK_NEAR(knell_bounds_poisson_tail(1e6, 3), 1, 0);
}

TEST(the_published_plan)
{
    CHECK_NEAR(knell_bounds_delta_max(256000, 20 * YEAR, 1e-6, 1e-9), 21.972, 0.0005);
    CHECK_NEAR(knell_bounds_delta_max(256000, 45 * YEAR, 1e-6, 1e-9), 49.436, 0.0005); /* the paper says 60 s */
}

TEST(delta_max_is_the_edge)
{
    static const uint64_t sizes[] = {2, 3, 4, 16, 1000, 256000, UINT64_C(1) << 31};

    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t n = sizes[i];
        double delta = knell_bounds_delta_max(n, 20 * YEAR, 1e-6, 1e-9);

        test_context("n = %llu", (unsigned long long)n);
        CHECK(isfinite(delta) && delta > 0);
        CHECK(knell_bounds_risk(n, 20 * YEAR, delta, 1e-6) < 1e-9);
        CHECK(knell_bounds_risk(n, 20 * YEAR, delta * 1.000001, 1e-6) >= 1e-9);
    }
}

/* A network so slow that the broadcasts alone take too long: no delta helps. */
TEST(no_delta_when_nothing_helps)
{
    CHECK(knell_bounds_delta_max(1000000, YEAR / 100, 10, 1e-9) == 0);
}
