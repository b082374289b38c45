/* Fast fidelity: 10,000 runs at 256,000 nodes, a burst of 16 failures as in figure 4 and random ones as in figure 5, on
 * all cores through the pool, as `knell sim ring --fidelity fast` does it; and randomized pinging, figures 6 and 7. */
#include "bench.h"
#include "sim/bounds.h"
#include "sim/ping.h"
#include "sim/pool.h"
#include "sim/ring.h"

#include <stdlib.h>

enum { NODES = 256000, RUNS = 10000, PINGS = 1000 };

static struct knell_ring_plan make_plan(enum knell_failures_kind kind)
{
    struct knell_ring_plan plan = {
        .config = {.ranks = NODES, .eta = INT64_C(10000000000), .delta = INT64_C(60000000000), .tau = 1000},
        .failures = {.kind = kind,
                     .ranks = NODES,
                     .count = knell_bounds_f_max(NODES),
                     .window = INT64_C(60000000000),
                     .mtbf_s = 365 * 86400.0},
    };

    return plan;
}

static void *fast_begin(void *context)
{
    return knell_ring_fast_new(context);
}

static void fast_end(void *worker)
{
    knell_ring_fast_free(worker);
}

static int fast_run(void *context, void *worker, uint64_t number)
{
    struct knell_ring_result result;

    (void)context;
    knell_ring_fast_run(worker, knell_prng_key(1, number), &result);
    return result.no_memory ? KNELL_POOL_NO_MEMORY : 0;
}

static void *ping_begin(void *context)
{
    (void)context;
    return knell_ping_new(NODES);
}

static void ping_end(void *worker)
{
    knell_ping_free(worker);
}

static int ping_run(void *context, void *worker, uint64_t number)
{
    struct knell_ping_result result;

    (void)context;
    knell_ping_run(worker, knell_prng_key(1, number), &result);
    return 0;
}

static double time_job(struct knell_pool_job job)
{
    double started = bench_now_s();

    job.threads = knell_pool_cores();
    if (knell_pool_run(&job, NULL) != 0) {
        fprintf(stderr, "bench: no memory\n");
        exit(1);
    }
    return bench_now_s() - started;
}

int main(void)
{
    struct knell_ring_plan burst = make_plan(KNELL_FAILURES_BURST), random = make_plan(KNELL_FAILURES_MTBF);
    struct knell_pool_job ring = {.runs = RUNS, .run = fast_run, .worker_begin = fast_begin, .worker_end = fast_end};
    struct knell_pool_job ping = {.runs = PINGS, .run = ping_run, .worker_begin = ping_begin, .worker_end = ping_end};
    struct bench_series burst_s = {0}, random_s = {0}, ping_s = {0};
    FILE *csv = bench_begin("ring_fast", "Fast fidelity and pinging, 256,000 nodes, all cores");

    for (int i = 0; i < BENCH_REPETITIONS; i++) {
        ring.context = &burst;
        bench_add(&burst_s, time_job(ring));
        ring.context = &random;
        bench_add(&random_s, time_job(ring));
        bench_add(&ping_s, time_job(ping));
    }
    bench_row(csv, "10,000 runs, burst of 16 failures", "s", &burst_s, "within 10 s", bench_median(&burst_s) <= 10);
    bench_row(csv, "10,000 runs, random failures, 1 year per node", "s", &random_s, "within 10 s",
              bench_median(&random_s) <= 10);
    bench_row(csv, "1,000 runs of randomized pinging", "s", &ping_s, NULL, false);
    bench_end(csv);
    return 0;
}
