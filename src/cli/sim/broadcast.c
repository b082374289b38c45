/* broadcast.c: `knell sim broadcast`: one reliable broadcast over an overlay, with dead nodes that its source does
 * not know of. */
#include "cli/sim/options.h"
#include "cli/sim/sim.h"
#include "cli/common/json.h"
#include "cli/common/output.h"
#include "sim/broadcast.h"
#include "util/prng.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct usage usage = {
    .command = "knell sim broadcast",
    .summary = "Simulates one reliable broadcast from a random node to all others, K of which are dead, unknown to it.",
    .notes = "max_hops: the most hops that the first copy to reach a node took.\n"
             "informed: until every living node has a copy; all copies: until the last copy is in; in units of tau.\n"
             "With k = floor(log2 N): hba survives any k - 1 unknown dead, circulant any 2k - 1 (2k - 2 if N = 2^k).\n"
             "missed counts living nodes that were not reached, over all runs.\n",
    .examples = "  knell sim broadcast --nodes 1024 --overlay circulant --dead 19 --runs 1000\n"
                "  knell sim broadcast --nodes 256000 --overlay hba --network oneport --runs 1\n",
};

static const char *const overlays[] = {"circulant", "hba", NULL};
static const char *const networks[] = {"latency", "oneport", NULL};

struct broadcast {
    int64_t nodes, dead;
    int overlay, network;
    struct sim_options sim;
    struct knell_broadcast_plan plan;
    struct knell_broadcast_result *results; /* by run */
};

static int parse(int argc, char **argv, struct broadcast *b)
{
    struct option options[] = {
        OPT_INTEGER("nodes", "N", &b->nodes, 2, 16777216, "number of nodes", .required = true),
        OPT_WORD("overlay", &b->overlay, overlays, "how copies are passed on", .fallback = "circulant"),
        OPT_INTEGER("dead", "K", &b->dead, 0, 16777214, "random dead nodes", .fallback = "0"),
        OPT_WORD("network", &b->network, networks, "delays uniform in (0, tau], or one port per node",
                 .fallback = "latency"),
        OPT_INTEGER("runs", "R", &b->sim.runs, 1, 100000000, "number of independent runs", .fallback = "100"),
        SIM_OPTIONS(&b->sim),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status >= 0)
        return status;
    if (b->dead > b->nodes - 2)
        return cli_usage_error(&usage, "--dead %" PRId64 ": must be at most nodes - 2 = %" PRId64, b->dead,
                               b->nodes - 2);
    b->plan = (struct knell_broadcast_plan){
        .nodes = (uint32_t)b->nodes,
        .dead = (uint32_t)b->dead,
        .overlay = b->overlay ? KNELL_OVERLAY_HBA : KNELL_OVERLAY_CIRCULANT,
        .network = b->network ? KNELL_NETWORK_ONEPORT : KNELL_NETWORK_LATENCY,
    };
    return -1;
}

static void *worker_begin(void *context)
{
    return knell_broadcast_run_new(&((struct broadcast *)context)->plan);
}

static void worker_end(void *worker)
{
    knell_broadcast_run_free(worker);
}

static int run(void *context, void *worker, uint64_t number)
{
    struct broadcast *b = context;
    knell_broadcast_run_one(worker, knell_prng_key((uint64_t)b->sim.seed, number), &b->results[number]);
    return b->results[number].no_memory ? KNELL_POOL_NO_MEMORY : 0;
}

enum { MESSAGES, HOPS, INFORMED, COPIES, STATS };
static const char *const names[STATS] = {"messages", "max_hops", "informed_tau", "all_copies_tau"};

static int summarise(const struct broadcast *b, struct knell_stat stats[STATS], uint64_t *missed)
{
    size_t runs = (size_t)b->sim.runs;
    double *samples = calloc(runs, STATS * sizeof *samples);
    if (!samples)
        return -1;
    *missed = 0;
    for (size_t i = 0; i < runs; i++) {
        const struct knell_broadcast_result *r = &b->results[i];
        samples[MESSAGES * runs + i] = r->messages;
        samples[HOPS * runs + i] = r->max_hops;
        samples[INFORMED * runs + i] = r->informed_tau;
        samples[COPIES * runs + i] = r->all_copies_tau;
        *missed += r->missed;
    }
    for (size_t i = 0; i < STATS; i++)
        stats[i] = knell_stat_of(samples + i * runs, runs);
    free(samples);
    return 0;
}

static void write_report(FILE *out, const struct broadcast *b, const struct knell_stat stats[STATS], uint64_t missed,
                         double wall_s)
{
    struct json j;
    if (!b->sim.json) {
        fprintf(out, "Reliable broadcast, %" PRId64 " nodes, %" PRId64 " of them dead, %s, %s network\n", b->nodes,
                b->dead, overlays[b->overlay], networks[b->network]);
        fprintf(out, "%" PRId64 " run%s, seed %" PRId64 ", %.2f s\n\n", b->sim.runs, b->sim.runs == 1 ? "" : "s",
                b->sim.seed, wall_s);
        sim_table_head(out);
        for (size_t i = 0; i < STATS; i++)
            sim_table_row(out, names[i], &stats[i]);
        fprintf(out, "\nmissed: %" PRIu64 " living nodes over all runs\n", missed);
        return;
    }
    json_begin(&j, out);
    json_object(&j);
    json_key(&j, "nodes");
    json_integer(&j, b->nodes);
    json_key(&j, "overlay");
    json_string(&j, overlays[b->overlay]);
    json_key(&j, "network");
    json_string(&j, networks[b->network]);
    json_key(&j, "dead");
    json_integer(&j, b->dead);
    json_key(&j, "runs");
    json_integer(&j, b->sim.runs);
    json_key(&j, "seed");
    json_integer(&j, b->sim.seed);
    for (size_t i = 0; i < STATS; i++)
        sim_json_put_stat(&j, names[i], &stats[i]);
    json_key(&j, "missed");
    json_unsigned(&j, missed);
    json_key(&j, "wall_s");
    json_real(&j, wall_s);
    json_close(&j);
}

static int simulate(struct broadcast *b)
{
    struct knell_pool_job job = {
        .runs = (uint64_t)b->sim.runs,
        .context = b,
        .run = run,
        .worker_begin = worker_begin,
        .worker_end = worker_end,
    };
    struct knell_stat stats[STATS];
    struct output out;
    uint64_t missed;
    double wall_s;
    if (sim_run(&b->sim, "broadcast", &job, NULL, &wall_s) != 0 || summarise(b, stats, &missed) != 0)
        return cli_failure(&usage, "no memory for --nodes %" PRId64, b->nodes);
    if (output_begin(&out, &usage) != EXIT_OK)
        return EXIT_FAILED;
    write_report(out.f, b, stats, missed, wall_s);
    return output_commit(&out, &usage);
}

int sim_broadcast_command(int argc, char **argv)
{
    struct broadcast b = {0};
    int status = parse(argc, argv, &b);
    if (status < 0) {
        b.results = calloc((size_t)b.sim.runs, sizeof *b.results);
        status = b.results ? simulate(&b) : cli_failure(&usage, "no memory for --runs %" PRId64, b.sim.runs);
    }
    free(b.results);
    return status;
}
