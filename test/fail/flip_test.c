/* Wrong bits: how many, which ones, and the same ones again. Six standard deviations everywhere: nothing fails by chance. */
#include "test.h"

#include <knell/fail.h>
#include <math.h>
#include <string.h>

enum { SIZE = 40, BITS = 8 * SIZE, TRIALS = 20000 };

static unsigned ones(const uint8_t *bytes, size_t size)
{
    unsigned count = 0;

    for (size_t i = 0; i < size; i++)
        count += (unsigned)__builtin_popcount(bytes[i]);
    return count;
}

TEST(one_bit_by_its_number)
{
    uint8_t message[3] = {0, 0, 0}, expected[3] = {0, 0x20, 0};

    CHECK_EQ_U64(knell_fail_flip(&(struct knell_fail_flip){.value = 13}, message, sizeof message), 1);
    CHECK(memcmp(message, expected, sizeof message) == 0);
    knell_fail_flip(&(struct knell_fail_flip){.value = 13 + 24}, message,
                    sizeof message); /* modulo the size: back again */
    CHECK_EQ_U64(ones(message, sizeof message), 0);
    CHECK_EQ_U64(knell_fail_flip(&(struct knell_fail_flip){.value = 13}, message, 0), 0);
}

TEST(never_and_always)
{
    uint8_t message[SIZE] = {0};

    CHECK_EQ_U64(knell_fail_flip(&(struct knell_fail_flip){0, 7, 5}, message, sizeof message), 0);
    CHECK_EQ_U64(ones(message, sizeof message), 0);
    CHECK_EQ_U64(knell_fail_flip(&(struct knell_fail_flip){7, 7, 5}, message, sizeof message), BITS);
    CHECK_EQ_U64(ones(message, sizeof message), BITS);
}

TEST(the_key_decides)
{
    uint8_t a[SIZE] = {0}, b[SIZE] = {0}, other[SIZE] = {0};

    knell_fail_flip(&(struct knell_fail_flip){1, 10, 77}, a, sizeof a);
    knell_fail_flip(&(struct knell_fail_flip){1, 10, 77}, b, sizeof b);
    knell_fail_flip(&(struct knell_fail_flip){1, 10, 78}, other, sizeof other);
    CHECK(memcmp(a, b, sizeof a) == 0);
    CHECK(memcmp(a, other, sizeof a) != 0);
}

/* The number of flips against the binomial distribution: mean, variance, and how often there are none. */
static void check_number(int64_t part, int64_t whole)
{
    double p = (double)part / (double)whole, sum = 0, squares = 0, none = 0, variance = BITS * p * (1 - p);
    double nothing = pow(1 - p, BITS);

    for (uint64_t t = 0; t < TRIALS; t++) {
        uint8_t message[SIZE] = {0};
        double count = (double)knell_fail_flip(&(struct knell_fail_flip){part, whole, t}, message, sizeof message);

        CHECK_EQ_U64(ones(message, sizeof message), (uint64_t)count);
        sum += count;
        squares += (count - BITS * p) * (count - BITS * p);
        none += count == 0;
    }
    test_context("%d of %d", (int)part, (int)whole);
    CHECK_NEAR(sum / TRIALS, BITS * p, 6 * sqrt(variance / TRIALS));
    CHECK_NEAR(squares / TRIALS, variance, 6 * variance * sqrt((2 + 1 / variance) / TRIALS));
    CHECK_NEAR(none / TRIALS, nothing, 6 * sqrt(nothing * (1 - nothing) / TRIALS) + 1e-12);
}

TEST(their_number_is_binomial)
{
    check_number(1, 1000);
    check_number(1, 100);
    check_number(1, 10);
    check_number(1, 2);
    check_number(9, 10);
    check_number(999, 1000);
}

TEST(every_bit_is_as_likely)
{
    unsigned hit[BITS] = {0};

    for (uint64_t t = 0; t < TRIALS; t++) {
        uint8_t message[SIZE] = {0};

        knell_fail_flip(&(struct knell_fail_flip){1, 20, t}, message, sizeof message);
        for (unsigned bit = 0; bit < BITS; bit++)
            hit[bit] += message[bit / 8] >> bit % 8 & 1;
    }
    for (unsigned bit = 0; bit < BITS; bit++) {
        test_context("bit %u", bit);
        CHECK_NEAR(hit[bit], TRIALS / 20.0, 6 * sqrt(TRIALS / 20.0 * 0.95));
    }
}

/* A large message and a small chance: stretches of 2^30 bits at most, (1 - p)^n that is not 0. */
TEST(much_data_and_few_wrong_bits)
{
    static uint8_t message[1 << 22];
    uint64_t count = 0;

    for (uint64_t t = 0; t < 200; t++)
        count += knell_fail_flip(&(struct knell_fail_flip){1, 10000000, t}, message, sizeof message);
    CHECK_NEAR(count, 200 * 8 * sizeof message / 1e7, 6 * sqrt(200 * 8 * sizeof message / 1e7));
}
