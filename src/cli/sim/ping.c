/* ping.c: `knell sim ping`: randomized pinging, figures 6 and 7 of the detector paper, for comparison with the ring. */
#include "cli/sim/options.h"
#include "cli/sim/sim.h"
#include "cli/common/json.h"
#include "cli/common/output.h"
#include "sim/ping.h"
#include "util/prng.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct usage usage = {
    .command = "knell sim ping",
    .summary =
        "Simulates randomized pinging: in each round every living node pings a random other one. Counts the "
        "rounds until every node was pinged at least once, the most pings one node gets in the first round, and the "
        "messages.",
    .notes = "Of the N nodes one has just died, so N - 1 ping. With 2 nodes the living one would never be pinged.\n",
    .examples = "  knell sim ping --nodes 100000 --runs 10000\n"
                "  knell sim ping --nodes 256000 --runs 1000 --seed 7 --json\n",
};

struct ping {
    int64_t nodes;
    struct sim_options sim;
    double *rounds, *queue, *messages; /* by run */
};

static int parse(int argc, char **argv, struct ping *p)
{
    struct option options[] = {
        OPT_INTEGER("nodes", "N", &p->nodes, 3, INT64_C(1) << 27, "number of nodes", .required = true),
        SIM_OPTION_RUNS(&p->sim),
        SIM_OPTIONS(&p->sim),
    };

    return options_parse(&usage, options, COUNT_OF(options), argc, argv);
}

static void *worker_begin(void *context)
{
    const struct ping *p = context;

    return knell_ping_new((uint32_t)p->nodes);
}

static void worker_end(void *worker)
{
    knell_ping_free(worker);
}

static int run(void *context, void *worker, uint64_t number)
{
    struct ping *p = context;
    struct knell_ping_result result;

    knell_ping_run(worker, knell_prng_key((uint64_t)p->sim.seed, number), &result);
    p->rounds[number] = result.rounds;
    p->queue[number] = result.queue;
    p->messages[number] = result.messages;
    return 0;
}

static void write_report(FILE *out, const struct ping *p, double wall_s)
{
    size_t runs = (size_t)p->sim.runs;
    struct knell_stat rounds = knell_stat_of(p->rounds, runs), queue = knell_stat_of(p->queue, runs);
    struct knell_stat messages = knell_stat_of(p->messages, runs);
    struct json j;

    if (!p->sim.json) {
        fprintf(out, "Randomized pinging, %" PRId64 " nodes, %" PRId64 " runs, seed %" PRId64 ", %.2f s\n\n", p->nodes,
                p->sim.runs, p->sim.seed, wall_s);
        sim_table_head(out);
        sim_table_row(out, "rounds", &rounds);
        sim_table_row(out, "queue", &queue);
        sim_table_row(out, "messages", &messages);
        fprintf(out,
                "\nrounds: until every node was pinged; queue: the most pings on one node in the first round;\n"
                "messages: pings and answers. The ring sends %" PRId64 " heartbeats a period.\n",
                p->nodes - 1);
        return;
    }
    json_begin(&j, out);
    json_object(&j);
    json_key(&j, "nodes");
    json_integer(&j, p->nodes);
    json_key(&j, "runs");
    json_integer(&j, p->sim.runs);
    json_key(&j, "seed");
    json_integer(&j, p->sim.seed);
    sim_json_put_stat(&j, "rounds", &rounds);
    sim_json_put_stat(&j, "queue", &queue);
    sim_json_put_stat(&j, "messages", &messages);
    json_key(&j, "wall_s");
    json_real(&j, wall_s);
    json_close(&j);
}

static int simulate(struct ping *p)
{
    struct knell_pool_job job = {
        .runs = (uint64_t)p->sim.runs,
        .context = p,
        .run = run,
        .worker_begin = worker_begin,
        .worker_end = worker_end,
    };
    struct output out;
    double wall_s;

    if (sim_run(&p->sim, "ping", &job, NULL, &wall_s) != 0)
        return cli_failure(&usage, "no memory for --nodes %" PRId64, p->nodes);
    if (output_begin(&out, &usage) != EXIT_OK)
        return EXIT_FAILED;
    write_report(out.f, p, wall_s);
    return output_commit(&out, &usage);
}

int sim_ping_command(int argc, char **argv)
{
    struct ping p = {0};
    double *samples;
    int status = parse(argc, argv, &p);

    if (status >= 0)
        return status;
    samples = calloc((size_t)p.sim.runs, 3 * sizeof *samples);
    if (!samples)
        return cli_failure(&usage, "no memory for --runs %" PRId64, p.sim.runs);
    p.rounds = samples;
    p.queue = samples + p.sim.runs;
    p.messages = samples + 2 * p.sim.runs;
    status = simulate(&p);
    free(samples);
    return status;
}
