/* SWIM against what its paper proves: the first suspicion, the bound of the shuffled rounds, failing probes, messages, gossip; and that
 * suspicion protects the living. */
#include "sim/shuffle.h"
#include "sim/stat.h"
#include "sim/swim.h"
#include "test.h"
#include "util/prng.h"

#include <math.h>
#include <string.h>

enum { RUNS_MAX = 3000 };

struct samples {
    double suspected[RUNS_MAX], declared[RUNS_MAX], known[RUNS_MAX], spread[RUNS_MAX], messages[RUNS_MAX];
    double false_suspicions[RUNS_MAX], false_positives[RUNS_MAX];
    size_t runs;
};
static struct samples samples;

static void run_all(const struct knell_swim_plan *plan, size_t runs)
{
    struct knell_swim *swim = knell_swim_new(plan);
    REQUIRE(swim != NULL);
    samples.runs = runs;
    for (size_t i = 0; i < runs; i++) {
        struct knell_swim_result result;
        knell_swim_run(swim, knell_prng_key(7, i), &result);
        CHECK(!result.no_memory);
        samples.suspected[i] = result.suspected;
        samples.declared[i] = result.declared;
        samples.known[i] = result.known;
        samples.spread[i] = result.known - result.declared;
        samples.messages[i] = result.messages;
        samples.false_suspicions[i] = (double)result.false_suspicions;
        samples.false_positives[i] = result.false_positives;
    }
    knell_swim_free(swim);
}

static struct knell_stat of(const double *column)
{
    return knell_stat_of(column, samples.runs);
}

static struct knell_swim_plan plan_of(uint32_t nodes, uint32_t failures)
{
    return (struct knell_swim_plan){
        .nodes = nodes, .failures = failures, .indirect = 3, .piggyback = 24, .repeats = knell_swim_spread(3, nodes)};
}

/* ---- the order of probes ---------------------------------------------------------------------------------------------------- */

TEST(a_shuffle_has_each_once)
{
    for (uint32_t n = 1; n <= 300; n++) {
        bool seen[300] = {false};
        test_context("%u", n);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = knell__shuffle_at(knell_prng_key(1, n), n, i);
            CHECK(at < n && !seen[at]);
            seen[at] = true;
        }
    }
}

/* Every pair of one and its successor is equally likely. */
TEST(a_shuffle_is_even)
{
    enum { N = 7, KEYS = 84000 };
    unsigned pair[N][N] = {{0}};
    for (uint64_t key = 0; key < KEYS; key++)
        pair[knell__shuffle_at(knell_prng_key(2, key), N, 3)][knell__shuffle_at(knell_prng_key(2, key), N, 4)]++;
    for (unsigned a = 0; a < N; a++)
        for (unsigned b = 0; b < N; b++)
            CHECK_NEAR(pair[a][b], a == b ? 0 : KEYS / (N * (N - 1.0)), 5 * sqrt(KEYS / (N * (N - 1.0))));
}

/* ---- the first suspicion ---------------------------------------------------------------------------------------------------- */

/* A member is anywhere in its order of m others: that it misses a given one for t periods, over one or two shuffles. */
static double missed_by_one(unsigned m, unsigned t)
{
    double sum = 0;
    for (unsigned offset = 0; offset < m; offset++) {
        double here = m - offset < t ? m - offset : t, next = t - here < m ? t - here : m;
        sum += (1 - here / m) * (1 - next / m);
    }
    return sum / m;
}

static double exact_first(unsigned nodes)
{
    double sum = 0;
    for (unsigned t = 0; t < 2 * nodes; t++)
        sum += pow(missed_by_one(nodes - 1, t), nodes - 1);
    return sum;
}

TEST(the_first_suspicion_comes_when_the_paper_says)
{
    const uint32_t nodes[] = {3, 4, 20, 100};
    for (unsigned i = 0; i < 4; i++) {
        struct knell_swim_plan plan = plan_of(nodes[i], 1);
        test_context("%u nodes", nodes[i]);
        run_all(&plan, 3000);
        struct knell_stat suspected = of(samples.suspected);
        CHECK_NEAR(suspected.mean, exact_first(nodes[i]), 2.5 * suspected.ci95);
    }
    test_context("%s", "");
    CHECK_NEAR(exact_first(2000), knell_swim_first_expected(1), 0.001); /* e / (e - 1) is its limit */
    CHECK_NEAR(knell_swim_first_expected(1), exp(1) / (exp(1) - 1), 1e-12);
}

TEST(with_half_of_them_dead_too)
{
    struct knell_swim_plan plan = plan_of(200, 100);
    plan.suspicion = 15; /* until then no dead one is left out, as the paper assumes */
    run_all(&plan, 200);
    CHECK_NEAR(of(samples.suspected).mean, knell_swim_first_expected(0.5), 0.06); /* 2.54 */
}

/* Without gossip each finds out by its own pings: at the latest at the end of the second shuffle. */
TEST(who_hears_nothing_finds_out_within_two_rounds)
{
    struct knell_swim_plan plan = plan_of(20, 1);
    plan.piggyback = 0;
    CHECK_EQ_U64(knell_swim_first_bound(20), 37);
    run_all(&plan, 3000);
    CHECK(of(samples.known).max <= 37);
    CHECK(of(samples.known).max >= 36); /* and it is that late at times */
    plan.suspicion = 5;
    run_all(&plan, 300);
    CHECK(of(samples.known).max <= 37 + 5);
    CHECK_NEAR(of(samples.declared).mean, of(samples.suspected).mean + 5, 1e-9);
}

/* ---- messages and lost ones ------------------------------------------------------------------------------------------------- */

TEST(two_messages_a_period_while_all_is_well)
{
    struct knell_swim_plan plan = plan_of(50, 0);
    plan.periods = 20;
    run_all(&plan, 10);
    CHECK(of(samples.messages).min == 2 && of(samples.messages).max == 2);
    CHECK(of(samples.false_suspicions).max == 0);
}

/* A ping, its answer, and for a probe that failed k chains of up to four. */
static double messages_expected(double loss, uint32_t indirect)
{
    double q = 1 - loss;
    return 1 + q + (1 - q * q) * indirect * (1 + q + q * q + q * q * q);
}

TEST(probes_fail_and_cost_as_the_paper_says)
{
    const double loss[] = {0.05, 0.2, 0.5};
    for (unsigned i = 0; i < 3; i++)
        for (uint32_t indirect = 0; indirect <= 3; indirect++) {
            struct knell_swim_plan plan = plan_of(60, 0);
            plan.loss = loss[i];
            plan.indirect = indirect;
            plan.periods = 50;
            plan.suspicion = 1000000; /* nobody is declared dead and left out */
            test_context("loss %g, k %u", loss[i], indirect);
            run_all(&plan, 40);
            double probes = 60 * 50 * 40, fails = knell_swim_false_probe(loss[i], 1, indirect);
            CHECK_NEAR(of(samples.false_suspicions).mean * 40, probes * fails, 4.5 * sqrt(probes * fails));
            CHECK_NEAR(of(samples.messages).mean, messages_expected(loss[i], indirect), 3 * of(samples.messages).ci95);
            CHECK(of(samples.messages).max <= 2 + 4 * indirect);
        }
}

/* ---- gossip and suspicion --------------------------------------------------------------------------------------------------- */

/* The paper, 4.1: x(t) = n / (1 + (n - 1) e^(-(2 - 1/n) t)) know after t periods, all but one after ln(n - 1). */
TEST(gossip_takes_the_logarithm_of_the_group)
{
    const uint32_t nodes[] = {50, 200, 800};
    for (unsigned i = 0; i < 3; i++) {
        struct knell_swim_plan plan = plan_of(nodes[i], 1);
        double log_n = log(nodes[i]);
        test_context("%u nodes", nodes[i]);
        run_all(&plan, 200);
        CHECK(of(samples.spread).mean > 0.7 * log_n && of(samples.spread).mean < 1.1 * log_n);
        CHECK(of(samples.spread).max <= ceil(2 * log_n)); /* lambda = 2: but for n^-2 of them */
    }
}

/* One update passed on once by each does not reach all; the pings do, later. */
TEST(without_repetition_gossip_dies_out)
{
    struct knell_swim_plan plan = plan_of(200, 1);
    plan.repeats = 1;
    run_all(&plan, 50);
    CHECK(of(samples.known).mean > 3 * log(200));
    CHECK(of(samples.known).max <= (double)knell_swim_first_bound(200));
}

TEST(suspicion_protects_the_living)
{
    struct knell_swim_plan plan = plan_of(50, 0);
    plan.loss = 0.1;
    plan.indirect = 1;
    plan.periods = 100;
    run_all(&plan, 20);
    CHECK(of(samples.false_positives).mean > 40); /* dead at once: a failed probe in fifteen */
    plan.loss = 0.03;
    plan.suspicion = plan.repeats;
    run_all(&plan, 20);
    CHECK(of(samples.false_suspicions).mean > 10);
    CHECK(of(samples.false_positives).max == 0);
}

/* Whatever happens to the living: a run ends, and all know the dead. */
TEST(a_run_ends_under_any_loss)
{
    for (uint32_t nodes = 3; nodes < 12; nodes++)
        for (unsigned loss = 0; loss < 4; loss++) {
            struct knell_swim_plan plan = plan_of(nodes, nodes - 2);
            plan.loss = 0.33 * loss;
            plan.suspicion = loss;
            plan.periods = 30;
            plan.piggyback = 1;
            test_context("%u nodes, loss %g", nodes, plan.loss);
            run_all(&plan, 50);
            CHECK(of(samples.known).min >= 1);
            CHECK(of(samples.known).max <= (double)knell_swim_first_bound(nodes) + loss);
            CHECK(of(samples.false_positives).max <= 2);
        }
}

TEST(a_run_depends_on_its_key_alone)
{
    struct knell_swim_plan plan = plan_of(40, 2);
    plan.loss = 0.2;
    plan.suspicion = 6;
    struct knell_swim *used = knell_swim_new(&plan), *fresh = knell_swim_new(&plan);
    struct knell_swim_result a = {0}, b = {0};
    for (uint64_t key = 0; key < 5; key++)
        knell_swim_run(used, key, &a);
    knell_swim_run(fresh, 4, &b);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    CHECK(a.false_suspicions > 0);
    knell_swim_free(used);
    knell_swim_free(fresh);
}
