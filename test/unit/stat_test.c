#include "sim/stat.h"
#include "test.h"

TEST(nothing_is_all_zero)
{
    struct knell_stat s = knell_stat_of(NULL, 0);

    CHECK(s.mean == 0 && s.ci95 == 0 && s.max == 0 && s.min == 0);
}

TEST(one_sample_has_no_spread)
{
    struct knell_stat s = knell_stat_of((double[]){-3.5}, 1);

    CHECK(s.mean == -3.5 && s.ci95 == 0 && s.max == -3.5 && s.min == -3.5);
}

/* 1 2 3 4: mean 2.5, sample variance 5/3. */
TEST(half_width_of_a_known_sample)
{
    struct knell_stat s = knell_stat_of((double[]){3, 1, 4, 2}, 4);

    CHECK_NEAR(s.mean, 2.5, 0);
    CHECK_NEAR(s.ci95, 1.96 * 0.6454972243679028, 1e-15);
    CHECK(s.max == 4 && s.min == 1);
}

/* A naive sum of squares would lose the spread of 1 behind the mean of 1e9 altogether. */
TEST(small_spread_on_a_large_mean)
{
    static double samples[10000];

    for (int i = 0; i < 10000; i++)
        samples[i] = 1e9 + (i % 2);
    struct knell_stat s = knell_stat_of(samples, 10000);
    CHECK_NEAR(s.mean, 1e9 + 0.5, 1e-7);
    CHECK_NEAR(s.ci95, 1.96 * 0.5 / 100, 1e-6);
}
