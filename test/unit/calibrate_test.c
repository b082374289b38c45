/* The pure part of `knell calibrate`: quantiles, tails and proposals on samples whose truth is known. */
#include "cli/calibrate/calibrate.h"
#include "test.h"
#include "util/prng.h"

#include <math.h>
#include <stdlib.h>

#define US INT64_C(1000)
#define HOUR (3600 * INT64_C(1000000000))
enum { MANY = 100000 };

static int64_t *values;

/* A hundred thousand quantiles of a distribution, in no order: no chance in it. */
static void fill(double (*beyond)(double share))
{
    values = realloc(values, MANY * sizeof *values);
    for (size_t i = 0; i < MANY; i++)
        values[i * 7919 % MANY] = (int64_t)(beyond(((double)i + 0.5) / MANY) * 1e9);
}

/* What a share exceeds: 50 us and an exponential tail of 20 us; and a power law of exponent 2 from 50 us on. */
static double exponential(double share)
{
    return 50e-6 - 20e-6 * log(share);
}

static double power_law(double share)
{
    return 50e-6 * pow(share, -0.5);
}

TEST(spread_of_a_few)
{
    int64_t few[] = {5 * US, 1 * US, 4 * US, 2 * US, 3 * US};
    struct calibrate_quantiles spread = calibrate_quantiles_of(few, 5);
    CHECK_NEAR(spread.min, 1e-6, 1e-12);
    CHECK_NEAR(spread.median, 3e-6, 1e-12);
    CHECK_NEAR(spread.p99, 5e-6, 1e-12);
    CHECK_NEAR(spread.p9999, 5e-6, 1e-12);
    CHECK_NEAR(spread.max, 5e-6, 1e-12);
}

TEST(spread_of_one)
{
    int64_t one = 7 * US;
    struct calibrate_quantiles spread = calibrate_quantiles_of(&one, 1);
    CHECK_NEAR(spread.min, 7e-6, 1e-12);
    CHECK_NEAR(spread.p999, 7e-6, 1e-12);
    CHECK(isfinite(calibrate_tail_of(&one, 1, 1e-9).at_s));
}

TEST(spread_of_many)
{
    fill(exponential);
    struct calibrate_quantiles spread = calibrate_quantiles_of(values, MANY);
    CHECK_NEAR(spread.median, exponential(0.5), 1e-9);
    CHECK_NEAR(spread.p99, exponential(0.01), 20e-9);
    CHECK_NEAR(spread.p999, exponential(0.001), 200e-9);
    CHECK_NEAR(spread.p9999, exponential(0.0001), 2e-6);
}

/* Measured where ten are beyond; else the exponential tail is found again, a million times beyond the sample. */
TEST(exponential_tail)
{
    fill(exponential);
    calibrate_quantiles_of(values, MANY);
    struct calibrate_tail tail = calibrate_tail_of(values, MANY, 1e-3);
    CHECK(tail.measured);
    CHECK_NEAR(tail.at_s, exponential(1e-3), 1e-6);
    tail = calibrate_tail_of(values, MANY, 1e-11);
    CHECK(!tail.measured);
    CHECK_NEAR(tail.at_s, exponential(1e-11), 0.02 * exponential(1e-11));
    CHECK(tail.power_law_s > tail.at_s); /* the pessimist is never below */
}

/* Of a power law the exponential guess is too low: the other one is there to say so, and is right. */
TEST(power_law_tail)
{
    fill(power_law);
    calibrate_quantiles_of(values, MANY);
    struct calibrate_tail tail = calibrate_tail_of(values, MANY, 1e-8);
    CHECK(!tail.measured);
    CHECK(tail.at_s >= (double)values[MANY - 1] * 1e-9);
    CHECK(tail.at_s < power_law(1e-8));
    CHECK_NEAR(tail.power_law_s / power_law(1e-8), 1, 0.1);
}

/* All alike: there is no tail to speak of. */
TEST(constant)
{
    values = realloc(values, MANY * sizeof *values);
    for (size_t i = 0; i < MANY; i++)
        values[i] = 30 * US;
    struct calibrate_tail tail = calibrate_tail_of(values, MANY, 1e-12);
    CHECK_NEAR(tail.at_s, 30e-6, 1e-12);
    CHECK_NEAR(tail.power_law_s, 30e-6, 1e-12);
}

TEST(proposal)
{
    struct calibrate_plan plan = {.job_ranks = 1000, .job = 24 * HOUR, .risk = 1e-3};
    fill(exponential);
    calibrate_quantiles_of(values, MANY);
    struct calibrate_proposal found = calibrate_propose(values, MANY, 0, &plan);
    CHECK_NEAR(found.eta_s, 0.01, 1e-12);
    CHECK_NEAR(found.beyond, 1e-3 / (1000 * 86400 / 0.01), 1e-18);
    CHECK_NEAR(found.tau_s, exponential(found.beyond), 0.05 * found.tau_s);
    CHECK_EQ_U64(found.lost, 2);
    CHECK_NEAR(found.delta_s, 3 * found.eta_s + found.tau_s, 1e-9);
    /* One in a hundred is lost: seven in a row are as rare as wanted, so six are to be survived. */
    CHECK_EQ_U64(calibrate_propose(values, MANY, 0.01, &plan).lost, 6);
    plan.eta = 123456789;
    CHECK_NEAR(calibrate_propose(values, MANY, 0, &plan).eta_s, 0.123456789, 1e-12);
}

/* Slow platforms get a longer period: 3 tau at least. */
TEST(proposal_for_slow)
{
    struct calibrate_plan plan = {.job_ranks = 2, .job = HOUR, .risk = 0.5};
    fill(exponential);
    for (size_t i = 0; i < MANY; i++)
        values[i] *= 1000;
    calibrate_quantiles_of(values, MANY);
    struct calibrate_proposal found = calibrate_propose(values, MANY, 0, &plan);
    CHECK(found.eta_s >= 3 * found.tau_s);
    CHECK_NEAR(found.eta_s, 1, 1e-9);
    CHECK_NEAR(found.delta_s, 3 * found.eta_s + found.tau_s, 1e-9);
}
