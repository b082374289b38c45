/* Full fidelity: one failure, found by its observer and broadcast over the circulant overlay, every message through the
 * core, until the last copy is delivered. Messages a second on one core over four sizes, the whole run at 256,000 nodes,
 * and peak memory. The sizes take turns, so that what else the machine does falls on all of them. */
#include "bench.h"
#include "sim/ring.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SIZES = 4, ENOUGH = 4000000 /* messages in a sample of a small size */ };
static const uint32_t sizes[SIZES] = {4096, 16384, 65536, 256000};

static void crash(void *context, struct knell_world *world)
{
    (void)context;
    knell_world_crash(world, world->config.ranks / 3);
}

static struct knell_world *make_world(uint32_t nodes)
{
    struct knell_limits limits = knell_limits_default();
    struct knell_config config = {
        .ranks = nodes,
        .eta = INT64_C(10000000000),
        .delta = INT64_C(60000000000),
        .tau = 1000,
        .overlay = KNELL_OVERLAY_CIRCULANT,
        .beats = KNELL_BEATS_POSTED,
    };
    struct knell_world *world = knell_world_new(&config, KNELL_NETWORK_LATENCY, &limits);

    if (!world) {
        fprintf(stderr, "bench: no memory for %" PRIu32 " nodes\n", nodes);
        exit(1);
    }
    return world;
}

/* One life with one failure, to the last message. Returns the seconds on the core from the failure on. */
static double run_world(struct knell_world *world, uint64_t key, uint64_t *messages)
{
    struct knell_watch watch = {.timer = crash};

    knell_world_begin(world, key, &watch);
    knell_world_alarm(world, knell_ring_origin(&world->config));
    double started = bench_cpu_s();
    while (knell_world_run_one(world))
        ;
    double took = bench_cpu_s() - started;
    if (world->broken || world->counters.messages_received < world->config.ranks - 2) {
        fprintf(stderr, "bench: the broadcast did not reach everybody\n");
        exit(1);
    }
    *messages += world->counters.messages_received;
    return took;
}

/* Nanoseconds a message. */
static double cost(struct knell_world *world, uint64_t *key)
{
    uint64_t messages = 0;
    double took = 0;

    while (messages < ENOUGH)
        took += run_world(world, (*key)++, &messages);
    return took * 1e9 / (double)messages;
}

/* ---- in a process of its own ---------------------------------------------------------------------------------------- */

static double whole_run(const void *nodes)
{
    uint64_t messages = 0;
    double started = bench_now_s();
    struct knell_world *world = make_world(*(const uint32_t *)nodes);

    run_world(world, 1, &messages);
    knell_world_free(world);
    return bench_now_s() - started;
}

static double whole_run_cpu(const void *nodes)
{
    double started = bench_cpu_s();

    whole_run(nodes);
    return bench_cpu_s() - started;
}

static double peak(const void *nodes)
{
    whole_run(nodes);
    return bench_peak_mib();
}

static double count(const void *nodes)
{
    uint64_t messages = 0;

    run_world(make_world(*(const uint32_t *)nodes), 1, &messages);
    return (double)messages;
}

/* ---- the rows ------------------------------------------------------------------------------------------------------- */

static void one_row(FILE *csv, const char *what, const char *unit, double value)
{
    bench_row(csv, what, unit, &(struct bench_series){1, {value}}, NULL, false);
}

static void measure_whole(FILE *csv)
{
    static const uint32_t large = 256000, million = 1000000;
    struct bench_series took = {0}, cpu = {0}, peak_large = {0}, peak_million = {0};

    one_row(csv, "messages of one failure, 256,000 nodes", "", bench_apart(count, &large));
    for (int i = 0; i < BENCH_REPETITIONS; i++) {
        bench_add(&took, bench_apart(whole_run, &large));
        bench_add(&cpu, bench_apart(whole_run_cpu, &large));
    }
    bench_row(csv, "one failure, 256,000 nodes, from nothing", "s", &took, "within 3 s", bench_median(&took) <= 3);
    bench_row(csv, "  the same, time on the core", "s", &cpu, NULL, false);
    bench_add(&peak_large, bench_apart(peak, &large));
    bench_row(csv, "peak memory, 256,000 nodes", "MiB", &peak_large, "within 1 GiB", bench_most(&peak_large) <= 1024);
    bench_add(&peak_million, bench_apart(peak, &million));
    bench_row(csv, "peak memory, 1,000,000 nodes", "MiB", &peak_million, "fits", true);
}

static void measure_rate(FILE *csv)
{
    struct knell_world *world[SIZES];
    struct bench_series nanoseconds[SIZES] = {0}, rate[SIZES] = {0}, growth = {0};
    uint64_t key = 1, warm = 0;
    char what[64];

    for (int i = 0; i < SIZES; i++)
        run_world(world[i] = make_world(sizes[i]), 1, &warm);
    for (int repetition = 0; repetition < BENCH_REPETITIONS; repetition++) {
        double took[SIZES];

        for (int i = 0; i < SIZES; i++) {
            took[i] = cost(world[i], &key);
            bench_add(&nanoseconds[i], took[i]);
            bench_add(&rate[i], 1e3 / took[i]);
        }
        bench_add(&growth, took[SIZES - 1] / took[0]);
    }
    for (int i = 0; i < SIZES; i++) {
        snprintf(what, sizeof what, "messages, %" PRIu32 " nodes", sizes[i]);
        bench_row(csv, what, "million/s", &rate[i], "at least 5", bench_median(&rate[i]) >= 5);
        knell_world_free(world[i]);
    }
    for (int i = 0; i < SIZES; i++) {
        snprintf(what, sizeof what, "cost of a message, %" PRIu32 " nodes", sizes[i]);
        bench_row(csv, what, "ns", &nanoseconds[i], NULL, false);
    }
    bench_row(csv, "cost of a message, 256,000 over 4,096 nodes", "times", &growth, "at most 3",
              bench_median(&growth) <= 3);
}

int main(void)
{
    struct knell_limits limits = knell_limits_default();
    FILE *csv = bench_begin("ring_full", "Full fidelity: one failure, circulant, one core");

    /* First what forks: a child begins with the memory its parent has. */
    measure_whole(csv);
    one_row(csv, "knell_node_size, default limits (as used here)", "bytes", (double)knell_node_size(&limits));
    measure_rate(csv);
    bench_end(csv);
    return 0;
}
