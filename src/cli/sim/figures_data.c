/* figures_data.c: the points of figures 4 to 7, each the statistics of many runs. See figures.h. */
#include "cli/sim/figures.h"
#include "sim/bounds.h"
#include "sim/ping.h"
#include "sim/ring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const uint32_t figures_nodes[FIGURES_SIZES] = {
    16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 20000, 32768, 65536, 100000, 131072, 256000,
};

const struct figures_setting figures_settings[FIGURES_CASES] = {
    [FIGURES_BURST_LOW_NOISE] = {"figure 4(a)", 10, 60, 0},
    [FIGURES_BURST_LOW_LAT] = {"figure 4(b)", 0.1, 1, 0},
    [FIGURES_RANDOM] = {"figure 5", 10, 60, FIGURES_YEAR_S},
};

size_t figures_size(uint32_t nodes)
{
    size_t i = 0;

    while (figures_nodes[i] != nodes)
        i++;
    return i;
}

/* One point: the plan of its runs and their results, each quantity by run. */
struct point {
    struct knell_ring_plan plan;
    uint32_t nodes;
    uint64_t seed;
    size_t runs;
    double *samples; /* three quantities, one after the other */
};

static double *quantity(const struct point *p, unsigned which)
{
    return p->samples + which * p->runs;
}

static void *ring_begin(void *context)
{
    return knell_ring_fast_new(&((struct point *)context)->plan);
}

static void ring_end(void *worker)
{
    knell_ring_fast_free(worker);
}

static int ring_run(void *context, void *worker, uint64_t number)
{
    struct point *p = context;
    struct knell_ring_result result;

    knell_ring_fast_run(worker, knell_prng_key(p->seed, number), &result);
    quantity(p, 0)[number] = result.first_s;
    quantity(p, 1)[number] = result.stable_s;
    quantity(p, 2)[number] = result.failures;
    return result.no_memory ? KNELL_POOL_NO_MEMORY : 0;
}

static void *ping_begin(void *context)
{
    return knell_ping_new(((struct point *)context)->nodes);
}

static void ping_end(void *worker)
{
    knell_ping_free(worker);
}

static int ping_run(void *context, void *worker, uint64_t number)
{
    struct point *p = context;
    struct knell_ping_result result;

    knell_ping_run(worker, knell_prng_key(p->seed, number), &result);
    quantity(p, 0)[number] = result.rounds;
    quantity(p, 1)[number] = result.queue;
    quantity(p, 2)[number] = result.messages;
    return 0;
}

static struct knell_ring_plan ring_plan(const struct figures_setting *setting, uint32_t nodes)
{
    struct knell_ring_plan plan = {
        .config = {.ranks = nodes,
                   .eta = (knell_time)(setting->eta_s * 1e9 + 0.5),
                   .delta = (knell_time)(setting->delta_s * 1e9 + 0.5),
                   .tau = (knell_time)(FIGURES_TAU_S * 1e9 + 0.5)},
        .failures = {.ranks = nodes, .kind = KNELL_FAILURES_MTBF, .mtbf_s = setting->mtbf_s},
    };

    if (setting->mtbf_s == 0) {
        plan.failures.kind = KNELL_FAILURES_BURST;
        plan.failures.count = knell_bounds_f_max(nodes);
        plan.failures.window = plan.config.delta;
    }
    return plan;
}

static int run_point(const struct sim_options *sim, struct point *p, const char *figure, struct knell_pool_job *job,
                     double *wall_s)
{
    char label[64];
    double took_s;

    snprintf(label, sizeof label, "%s, %" PRIu32 " nodes", figure, p->nodes);
    job->runs = p->runs;
    job->context = p;
    if (sim_run(sim, label, job, NULL, &took_s) != 0)
        return EXIT_FAILED;
    *wall_s += took_s;
    return EXIT_OK;
}

static int simulate_ring(const struct sim_options *sim, struct point *p, enum figures_case which, size_t size,
                         struct figures *figures)
{
    const struct figures_setting *setting = &figures_settings[which];
    struct knell_pool_job job = {.run = ring_run, .worker_begin = ring_begin, .worker_end = ring_end};

    p->nodes = figures_nodes[size];
    p->plan = ring_plan(setting, p->nodes);
    if (run_point(sim, p, setting->figure, &job, &figures->wall_s) != EXIT_OK)
        return EXIT_FAILED;
    figures->ring[which][size] = (struct figures_ring){
        .first = knell_stat_of(quantity(p, 0), p->runs),
        .stable = knell_stat_of(quantity(p, 1), p->runs),
        .failures = knell_stat_of(quantity(p, 2), p->runs),
    };
    return EXIT_OK;
}

/* The share of samples up to the queue length that the paper states for this size. */
static double share_within(const struct point *p)
{
    double stated = p->nodes == 20000 ? 8 : p->nodes == 100000 ? 11 : UINT32_MAX;
    size_t within = 0;

    for (size_t i = 0; i < p->runs; i++)
        within += quantity(p, 1)[i] <= stated;
    return (double)within / (double)p->runs;
}

static int simulate_ping(const struct sim_options *sim, struct point *p, size_t size, struct figures *figures)
{
    struct knell_pool_job job = {.run = ping_run, .worker_begin = ping_begin, .worker_end = ping_end};

    p->nodes = figures_nodes[size];
    if (run_point(sim, p, "figures 6 and 7", &job, &figures->wall_s) != EXIT_OK)
        return EXIT_FAILED;
    figures->ping[size] = (struct figures_ping){
        .rounds = knell_stat_of(quantity(p, 0), p->runs),
        .queue = knell_stat_of(quantity(p, 1), p->runs),
        .messages = knell_stat_of(quantity(p, 2), p->runs),
        .within = share_within(p),
    };
    return EXIT_OK;
}

static int simulate_all(const struct sim_options *sim, struct point *p, struct figures *figures)
{
    for (int which = 0; which < FIGURES_CASES; which++) {
        for (size_t size = 0; size < FIGURES_SIZES; size++) {
            if (simulate_ring(sim, p, (enum figures_case)which, size, figures) != EXIT_OK)
                return EXIT_FAILED;
        }
    }
    for (size_t size = 0; size < FIGURES_SIZES; size++) {
        if (simulate_ping(sim, p, size, figures) != EXIT_OK)
            return EXIT_FAILED;
    }
    return EXIT_OK;
}

int figures_simulate(const struct usage *usage, const struct sim_options *sim, struct figures *figures)
{
    struct point p = {.runs = (size_t)sim->runs, .seed = (uint64_t)sim->seed};
    int status = EXIT_FAILED;

    memset(figures, 0, sizeof *figures);
    figures->runs = p.runs;
    p.samples = calloc(p.runs, 3 * sizeof *p.samples);
    if (p.samples)
        status = simulate_all(sim, &p, figures);
    if (status != EXIT_OK)
        cli_failure(usage, "no memory for --runs %" PRId64, sim->runs);
    free(p.samples);
    return status;
}
