/* The closed forms against values worked out by hand and against each other's limits. */
#include "sim/closed.h"
#include "test.h"

#include <math.h>

#define YEAR (365 * 86400.0)

TEST(busy_period_of_figure_5)
{
    struct knell_closed_busy b = knell_closed_busy(256000, YEAR, 10, 60);

    CHECK_NEAR(b.first_s, 55, 1e-12);
    CHECK_NEAR(b.failures, exp(55 * 256000 / YEAR), 1e-12);
    CHECK_NEAR(b.failures, 1.5628, 5e-5);
    CHECK_NEAR(b.stable_s, 69.33, 5e-3);
}

TEST(busy_period_of_a_reliable_platform_is_one_detection)
{
    struct knell_closed_busy b = knell_closed_busy(16, 1e6 * YEAR, 10, 60);

    CHECK_NEAR(b.failures, 1, 1e-9);
    CHECK_NEAR(b.stable_s, 55, 1e-6);
}

TEST(burst_of_one_is_one_detection)
{
    CHECK_NEAR(knell_closed_burst_first(1024, 1, 10, 60), 55, 1e-12);
    CHECK_NEAR(knell_closed_burst_stable(1, 10, 60), 55, 0.01);
}

TEST(burst_of_many_ends_within_two_deltas)
{
    double before = knell_closed_burst_stable(1, 10, 60);

    for (unsigned f = 2; f < 100; f++) {
        double now = knell_closed_burst_stable(f, 10, 60);

        CHECK(now > before && now < 120);
        before = now;
    }
    /* 2 failures, eta -> 0: the later is found delta + U after the first, U with mean delta / 2. */
    CHECK_NEAR(knell_closed_burst_stable(2, 1e-3, 60), 90, 0.01);
}

TEST(burst_first_falls_to_one_detection)
{
    CHECK_NEAR(knell_closed_burst_first(16, 3, 10, 60), 55 + 2 / 15.0 * 135.2778, 1e-3);
    CHECK(knell_closed_burst_first(1 << 20, 19, 10, 60) < 55.01);
}

TEST(pinging)
{
    CHECK_NEAR(knell_closed_ping_missed(100000), 0.36788128, 5e-9);
    CHECK_NEAR(knell_closed_ping_rounds(100000, 1, 1e-9), 20.723, 5e-4);
    CHECK_NEAR(knell_closed_ping_rounds(100000, 100000, 1e-9), 32.236, 5e-4);
    CHECK_NEAR(knell_closed_ping_queue(100000), 4.7117, 5e-5);
}
