/* Runs of the detector: both fidelities on the same failures, the bound, deaths beyond it, and the closed form of figure 5. */
#include "sim/bounds.h"
#include "sim/ring.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static struct knell_ring_plan lowlat(uint32_t nodes)
{
    struct knell_ring_plan plan = {
        .config = {.ranks = nodes, .eta = 100000000, .delta = 1000000000, .tau = 1000, .beats = KNELL_BEATS_POSTED}};
    plan.failures.ranks = nodes;
    plan.failures.kind = KNELL_FAILURES_BURST;
    plan.failures.count = knell_bounds_f_max(nodes) > 0 ? knell_bounds_f_max(nodes) : 1;
    plan.failures.window = plan.config.delta;
    return plan;
}

static void check_no_violation(const struct knell_ring_result *result)
{
    CHECK_EQ_U64(result->suspected_living, 0);
    CHECK_EQ_U64(result->never_known, 0);
    CHECK_EQ_U64(result->bound_broken, 0);
    CHECK(!result->no_memory);
}

/* ---- fast against full ------------------------------------------------------------------------------------------------------ */

static void compare(const struct knell_ring_plan *plan, uint64_t runs)
{
    struct knell_ring_full *full = knell_ring_full_new(plan);
    struct knell_ring_fast *fast = knell_ring_fast_new(plan);
    double most = knell_bounds_broadcast(plan->config.ranks, (double)plan->config.tau * 1e-9);
    for (uint64_t run = 0; run < runs; run++) {
        struct knell_ring_result a, b;
        test_context("%u nodes, %u failures, run %llu", plan->config.ranks, plan->failures.count,
                     (unsigned long long)run);
        knell_ring_full_run(full, knell_prng_key(1, run), &a);
        knell_ring_fast_run(fast, knell_prng_key(1, run), &b);
        check_no_violation(&a);
        check_no_violation(&b);
        CHECK_EQ_U64(a.failures, b.failures);
        CHECK_NEAR(a.first_s, b.first_s, most);
        CHECK_NEAR(a.stable_s, b.stable_s, most);
    }
    knell_ring_full_free(full);
    knell_ring_fast_free(fast);
}

TEST(fast_and_full_agree_on_bursts)
{
    const uint32_t nodes[] = {2, 3, 4, 5, 8, 16, 33, 64, 250, 1024, 4096};
    for (unsigned i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct knell_ring_plan plan = lowlat(nodes[i]);
        compare(&plan, nodes[i] <= 64 ? 300 : nodes[i] <= 1024 ? 30 : 6);
    }
}

TEST(fast_and_full_agree_on_neighbours_dying)
{
    struct knell_failure list[6];
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct knell_prng prng;
        struct knell_ring_plan plan = lowlat(8 + (uint32_t)seed % 57);
        knell_prng_seed(&prng, seed);
        uint32_t count = 2 + (uint32_t)knell_prng_below(&prng, 5);
        knell_rank first = (knell_rank)knell_prng_below(&prng, plan.config.ranks);
        for (uint32_t i = 0; i < count; i++)
            list[i] = (struct knell_failure){i * (knell_time)knell_prng_below(&prng, 400000000),
                                             (first + (seed % 2 ? i : count - i)) % plan.config.ranks};
        for (uint32_t i = 1; i < count; i++)
            list[i].time = list[i].time < list[i - 1].time ? list[i - 1].time : list[i].time;
        plan.failures.kind = KNELL_FAILURES_LIST;
        plan.failures.list = list;
        plan.failures.list_count = count;
        compare(&plan, 4);
    }
}

TEST(fast_and_full_agree_on_random_failures)
{
    struct knell_ring_plan plan = lowlat(256);
    plan.failures.kind = KNELL_FAILURES_MTBF;
    plan.failures.mtbf_s = 256; /* one a second */
    compare(&plan, 40);
}

/* ---- every way to run ----------------------------------------------------------------------------------------------------------- */

static void run_all(const struct knell_ring_plan *plan, uint64_t runs)
{
    struct knell_ring_full *full = knell_ring_full_new(plan);
    for (uint64_t run = 0; run < runs; run++) {
        struct knell_ring_result result;
        knell_ring_full_run(full, knell_prng_key(2, run), &result);
        check_no_violation(&result);
    }
    knell_ring_full_free(full);
}

TEST(no_violation_in_any_network_overlay_or_with_every_heartbeat)
{
    for (unsigned variant = 0; variant < 16; variant++) {
        struct knell_ring_plan plan = lowlat(variant & 4 ? 100 : 33);
        test_context("variant %u", variant);
        plan.config.overlay = variant & 1 ? KNELL_OVERLAY_HBA : KNELL_OVERLAY_CIRCULANT;
        plan.network = variant & 2 ? KNELL_NETWORK_ONEPORT : KNELL_NETWORK_LATENCY;
        plan.config.beats = variant & 4 ? KNELL_BEATS_SENT : KNELL_BEATS_POSTED;
        plan.config.latest_only = variant & 8;
        run_all(&plan, 40);
    }
}

/* One of 33 dies. Beside the copies of the one broadcast: the list to the accused, NewObserver, and the heartbeat that answers it. */
/* Beside the copies there are four: those by which the ring closes again, and the new neighbours compare what they know. */
TEST(a_death_costs_one_broadcast_and_its_copies)
{
    const struct {
        enum knell_overlay overlay;
        bool latest_only;
        uint64_t copies;
    } rows[] = {
        {KNELL_OVERLAY_CIRCULANT, false, 32 * 9}, /* 32 = 2^5: +16 and -16 are the same */
        {KNELL_OVERLAY_CIRCULANT, true, 32 * 10}, /* over all 33, the dead one too */
        {KNELL_OVERLAY_HBA, false, 2 * 5 * 31},   /* 2 k (2^k - 1) */
    };
    struct knell_failure death = {.rank = 5};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct knell_ring_plan plan = lowlat(33);
        struct knell_ring_result result;
        plan.config.overlay = rows[i].overlay;
        plan.config.latest_only = rows[i].latest_only;
        plan.failures.kind = KNELL_FAILURES_LIST;
        plan.failures.list = &death;
        plan.failures.list_count = 1;
        struct knell_ring_full *full = knell_ring_full_new(&plan);
        test_context("row %u", i);
        knell_ring_full_run(full, 1, &result);
        check_no_violation(&result);
        CHECK_EQ_U64(result.broadcasts, 1);
        CHECK_EQ_U64(result.messages, rows[i].copies + 4);
        knell_ring_full_free(full);
    }
}

/* A host at once, half of the platform, all but two: far beyond what any overlay survives. */
TEST(every_death_becomes_known_beyond_the_bound)
{
    for (unsigned beats = 0; beats < 2; beats++)
        for (unsigned window = 0; window < 2; window++) {
            const uint32_t counts[] = {8, 32, 62};
            for (unsigned i = 0; i < 3; i++) {
                struct knell_ring_plan plan = lowlat(64);
                test_context("%u die, beats %u, window %u", counts[i], beats, window);
                plan.config.beats = beats ? KNELL_BEATS_SENT : KNELL_BEATS_POSTED;
                plan.failures.count = counts[i];
                plan.failures.window = window ? plan.config.delta : 2000;
                run_all(&plan, 15);
            }
        }
}

/* M/G/infinity: first = delta - eta/2, failures = e^(lambda first), stable = (failures - 1) / lambda; tau is nothing here. */
TEST(figure_5_agrees_with_its_closed_form)
{
    const uint32_t nodes[] = {16384, 65536, 256000};
    for (unsigned i = 0; i < 3; i++) {
        struct knell_ring_plan plan = lowlat(nodes[i]);
        enum { RUNS = 20000 };
        double sum[3] = {0}, square[3] = {0};
        plan.config.eta = INT64_C(10000000000);
        plan.config.delta = INT64_C(60000000000);
        plan.failures.kind = KNELL_FAILURES_MTBF;
        plan.failures.mtbf_s = 365 * 86400.0;
        struct knell_ring_fast *fast = knell_ring_fast_new(&plan);
        for (uint64_t run = 0; run < RUNS; run++) {
            struct knell_ring_result result;
            knell_ring_fast_run(fast, knell_prng_key(3, run), &result);
            double sample[3] = {result.first_s, result.failures, result.stable_s};
            for (unsigned k = 0; k < 3; k++) {
                sum[k] += sample[k];
                square[k] += sample[k] * sample[k];
            }
        }
        double lambda = nodes[i] / plan.failures.mtbf_s, failures = exp(lambda * 55);
        double expected[3] = {55, failures, (failures - 1) / lambda};
        for (unsigned k = 0; k < 3; k++) {
            double mean = sum[k] / RUNS, deviation = sqrt((square[k] / RUNS - mean * mean) / RUNS);
            test_context("%u nodes, statistic %u", nodes[i], k);
            CHECK_NEAR(mean, expected[k], 5 * deviation);
        }
        knell_ring_fast_free(fast);
    }
}
