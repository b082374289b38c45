/* Sanity, not a test battery: fixed seeds, bounds wide enough to never fail by chance and tight enough to catch a
 * wrong shift. */
#include "test.h"
#include "util/prng.h"

#include <math.h>
#include <string.h>

TEST(a_draw_is_a_function_of_key_and_counter)
{
    CHECK_EQ_U64(knell_prng_at(1, 2), knell_prng_at(1, 2));
    CHECK(knell_prng_at(1, 2) != knell_prng_at(2, 1));
    CHECK(knell_prng_at(0, 0) != 0);
    CHECK(knell_prng_key(1, 2) != knell_prng_at(1, 2));
}

/* Recorded once: a change of the generator changes every published number, and must be meant. */
TEST(values_are_fixed_for_ever)
{
    struct knell_prng g;

    CHECK_EQ_U64(knell_prng_at(0, 0), 0x59dfae82f98bc841u);
    CHECK_EQ_U64(knell_prng_at(42, 1000000), 0x5ccacee6bc8b5f4cu);
    knell_prng_seed(&g, 7);
    CHECK_EQ_U64(knell_prng_next(&g), 0x2a34873741480049u);
    CHECK_EQ_U64(knell_prng_next(&g), 0xdb7158ffa96cd186u);
}

/* The published algorithm from state 1, 2, 3, 4: rotl(2 * 5, 7) * 9 = 11520 comes first, then 0. */
TEST(stream_is_xoshiro256starstar)
{
    struct knell_prng g = {{1, 2, 3, 4}};

    CHECK_EQ_U64(knell_prng_next(&g), 11520);
    CHECK_EQ_U64(knell_prng_next(&g), 0);
    CHECK_EQ_U64(knell_prng_next(&g), 1509978240);
    CHECK_EQ_U64(knell_prng_next(&g), 1215971899390074240);
}

/* Flipping any bit of key or counter must flip each output bit half of the time: 4,096 trials, six standard
 * deviations. */
static void check_avalanche(bool in_key)
{
    enum { TRIALS = 4096 };

    for (int in = 0; in < 64; in++) {
        unsigned flips[64] = {0};

        for (uint64_t t = 0; t < TRIALS; t++) {
            uint64_t flip = (uint64_t)1 << in;
            uint64_t a = knell_prng_at(t, 3 * t);
            uint64_t b = in_key ? knell_prng_at(t ^ flip, 3 * t) : knell_prng_at(t, (3 * t) ^ flip);

            for (int out = 0; out < 64; out++)
                flips[out] += (unsigned)(((a ^ b) >> out) & 1);
        }
        test_context("input bit %d", in);
        for (int out = 0; out < 64; out++)
            CHECK_NEAR(flips[out], TRIALS / 2, 6 * sqrt(TRIALS / 4.0));
    }
}

TEST(avalanche_of_key)
{
    check_avalanche(true);
}

TEST(avalanche_of_counter)
{
    check_avalanche(false);
}

/* Chi-square over n classes: its mean is n - 1 and its variance 2(n - 1). */
TEST(below_is_even)
{
    static const uint64_t sizes[] = {2, 3, 7, 10, 64, 100, 1000};
    struct knell_prng g;

    knell_prng_seed(&g, 1);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t n = sizes[i], draws = 1000 * n;
        unsigned count[1000] = {0};
        double chi = 0;

        for (uint64_t d = 0; d < draws; d++)
            count[knell_prng_below(&g, n)]++;
        for (uint64_t c = 0; c < n; c++)
            chi += (count[c] - 1000.0) * (count[c] - 1000.0) / 1000.0;
        test_context("n = %u", (unsigned)n);
        CHECK_NEAR(chi, (double)(n - 1), 5 * sqrt(2.0 * (double)(n - 1)) + 5);
    }
}

/* n = 3 * 2^62 redraws a quarter of the time: without the redraw the lowest third would be twice as likely. */
TEST(below_redraws_the_uneven_part)
{
    struct knell_prng g;
    uint64_t n = (uint64_t)3 << 62;
    unsigned third[3] = {0};

    knell_prng_seed(&g, 2);
    for (int i = 0; i < 30000; i++) {
        uint64_t x = knell_prng_below(&g, n);

        REQUIRE(x < n);
        third[x >> 62]++;
    }
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(third[i], 10000, 500);
    CHECK_EQ_U64(knell_prng_below(&g, 1), 0);
}

TEST(unit_keeps_its_ends)
{
    CHECK(knell_prng_unit_of(0) == 0);
    CHECK(knell_prng_unit_of(UINT64_MAX) < 1);
    CHECK(knell_prng_unit_open_of(0) > 0);
    CHECK(knell_prng_unit_open_of(UINT64_MAX) == 1);
}

TEST(unit_has_the_moments_of_uniform)
{
    enum { DRAWS = 1000000 };
    struct knell_prng g;
    double sum = 0, squares = 0;

    knell_prng_seed(&g, 3);
    for (int i = 0; i < DRAWS; i++) {
        double u = knell_prng_unit(&g);

        sum += u;
        squares += u * u;
    }
    CHECK_NEAR(sum / DRAWS, 0.5, 0.0015);
    CHECK_NEAR(squares / DRAWS, 1 / 3.0, 0.0015);
}

TEST(streams_of_neighbouring_keys_are_unlike)
{
    struct knell_prng a, b;
    unsigned same = 0;

    knell_prng_seed(&a, 1000);
    knell_prng_seed(&b, 1001);
    CHECK(memcmp(&a, &b, sizeof a) != 0);
    for (int i = 0; i < 10000; i++)
        same += (unsigned)__builtin_popcountll(~(knell_prng_next(&a) ^ knell_prng_next(&b)));
    CHECK_NEAR(same, 320000, 6 * 400.0);
}
