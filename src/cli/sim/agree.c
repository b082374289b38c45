/* agree.c: `knell sim agree`: one agreement of all nodes, while some crash. */
#include "cli/sim/options.h"
#include "cli/sim/sim.h"
#include "cli/common/json.h"
#include "cli/common/output.h"
#include "sim/agree.h"
#include "util/prng.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct usage usage = {
    .command = "knell sim agree",
    .summary =
        "Simulates one agreement of all nodes. K random nodes crash while it runs, half of them in the middle of a send.",
    .notes =
        "All nodes propose at time 0. A death is reported by the next living node's kernel within tau and then broadcast.\n"
        "latency: until the last living node has returned, in units of tau; messages: of the agreement itself.\n"
        "Status 1 if living nodes returned different or impossible values, or one never returned.\n",
    .examples = "  knell sim agree --nodes 1024 --crashes 0 --runs 1000\n"
                "  knell sim agree --nodes 64 --crashes 5 --runs 100000 --json\n",
};

struct agree {
    int64_t nodes, crashes;
    struct sim_options sim;
    struct knell_agree_plan plan;
    struct knell_agree_result *results; /* by run */
};

static int parse(int argc, char **argv, struct agree *a)
{
    struct option options[] = {
        OPT_INTEGER("nodes", "N", &a->nodes, 2, 16777216, "number of nodes", .required = true),
        OPT_INTEGER("crashes", "K", &a->crashes, 0, 100000, "nodes that crash", .fallback = "0"),
        OPT_INTEGER("runs", "R", &a->sim.runs, 1, 100000000, "number of independent runs", .fallback = "100"),
        SIM_OPTIONS(&a->sim),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status >= 0)
        return status;
    if (a->crashes > a->nodes - 1)
        return cli_usage_error(&usage, "--crashes %" PRId64 ": must be at most nodes - 1 = %" PRId64, a->crashes,
                               a->nodes - 1);
    a->plan = (struct knell_agree_plan){.nodes = (uint32_t)a->nodes, .crashes = (uint32_t)a->crashes};
    return -1;
}

static void *worker_begin(void *context)
{
    return knell_agree_run_new(&((struct agree *)context)->plan);
}

static void worker_end(void *worker)
{
    knell_agree_run_free(worker);
}

static int run(void *context, void *worker, uint64_t number)
{
    struct agree *a = context;
    knell_agree_run_one(worker, knell_prng_key((uint64_t)a->sim.seed, number), &a->results[number]);
    return a->results[number].no_memory ? KNELL_POOL_NO_MEMORY : 0;
}

struct report {
    struct knell_stat latency, messages;
    uint64_t violations;
    double wall_s;
};

static int summarise(const struct agree *a, struct report *report)
{
    size_t runs = (size_t)a->sim.runs;
    double *samples = calloc(runs, 2 * sizeof *samples);
    if (!samples)
        return -1;
    for (size_t i = 0; i < runs; i++) {
        samples[i] = a->results[i].latency_tau;
        samples[runs + i] = a->results[i].messages;
        report->violations += a->results[i].violations;
    }
    report->latency = knell_stat_of(samples, runs);
    report->messages = knell_stat_of(samples + runs, runs);
    free(samples);
    return 0;
}

static void write_report(FILE *out, const struct agree *a, const struct report *report)
{
    struct json j;
    if (!a->sim.json) {
        fprintf(out,
                "Agreement, %" PRId64 " nodes, %" PRId64 " crashes, %" PRId64 " runs, seed %" PRId64 ", %.2f s\n\n",
                a->nodes, a->crashes, a->sim.runs, a->sim.seed, report->wall_s);
        sim_table_head(out);
        sim_table_row(out, "latency_tau", &report->latency);
        sim_table_row(out, "messages", &report->messages);
        fprintf(out, "\nviolations: %" PRIu64 "\n", report->violations);
        return;
    }
    json_begin(&j, out);
    json_object(&j);
    json_key(&j, "nodes");
    json_integer(&j, a->nodes);
    json_key(&j, "crashes");
    json_integer(&j, a->crashes);
    json_key(&j, "runs");
    json_integer(&j, a->sim.runs);
    json_key(&j, "seed");
    json_integer(&j, a->sim.seed);
    sim_json_put_stat(&j, "latency_tau", &report->latency);
    sim_json_put_stat(&j, "messages", &report->messages);
    json_key(&j, "violations");
    json_unsigned(&j, report->violations);
    json_key(&j, "wall_s");
    json_real(&j, report->wall_s);
    json_close(&j);
}

static int simulate(struct agree *a)
{
    struct knell_pool_job job = {
        .runs = (uint64_t)a->sim.runs,
        .context = a,
        .run = run,
        .worker_begin = worker_begin,
        .worker_end = worker_end,
    };
    struct report report = {0};
    struct output out;
    if (sim_run(&a->sim, "agree", &job, NULL, &report.wall_s) != 0 || summarise(a, &report) != 0)
        return cli_failure(&usage, "no memory for --nodes %" PRId64, a->nodes);
    if (output_begin(&out, &usage) != EXIT_OK)
        return EXIT_FAILED;
    write_report(out.f, a, &report);
    int status = output_commit(&out, &usage);
    return status == EXIT_OK && report.violations ? EXIT_FAILED : status;
}

int sim_agree_command(int argc, char **argv)
{
    struct agree a = {0};
    int status = parse(argc, argv, &a);
    if (status < 0) {
        a.results = calloc((size_t)a.sim.runs, sizeof *a.results);
        status = a.results ? simulate(&a) : cli_failure(&usage, "no memory for --runs %" PRId64, a.sim.runs);
    }
    free(a.results);
    return status;
}
