/* swim.c: `knell sim swim`: SWIM with indirect probes, gossip and suspicion, for comparison with the ring. */
#include "cli/sim/options.h"
#include "cli/sim/sim.h"
#include "cli/common/json.h"
#include "cli/common/output.h"
#include "sim/swim.h"
#include "util/prng.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct usage usage = {
    .command = "knell sim swim",
    .summary =
        "Simulates SWIM (Das, Gupta and Motivala, 2002), the detector of memberlist and others: probes of random members, "
        "indirect probes, suspicion, and gossip on the probes' messages. Counts the periods until deaths are suspected, "
        "declared and known to all, messages, and living nodes that were suspected and declared dead.",
    .notes =
        "F nodes die at once, then periods are counted. In each every living node pings one other, going through all in an order "
        "that is shuffled anew each time. Without an answer it asks K others to ping; without any it suspects. Messages carry up "
        "to B updates, each passed on ceil(L ln(N + 1)) times by each node. A node that hears it is "
        "suspected says that it lives; one that does not do so within S periods is declared dead for good.\n"
        "A message is lost with probability P, and takes no time otherwise. memberlist's additions (Lifeguard, gossip of its own, "
        "exchange of whole lists) are not modelled.\n"
        "--piggyback 0: no gossip, each finds out for itself. --suspicion 0: dead at once. --failures 0 --periods T: "
        "how often the living are suspected.\n",
    .examples = "  knell sim swim --nodes 1000\n"
                "  knell sim swim --nodes 1000 --failures 10 --loss 0.05 --json\n"
                "  knell sim swim --nodes 500 --failures 0 --periods 200 --loss 0.02 \\\n"
                "      --indirect 1 --runs 100\n",
};

/* The number of members times the number of members that may be suspected: what each member remembers of each. At 12
 * bytes each, this limit is 768 MB per thread. */
#define REMEMBERED_MAX (INT64_C(1) << 26)

/* A statistic by run. */
enum { SUSPECTED, DECLARED, KNOWN, MESSAGES, PERIODS, FALSE_SUSPICIONS, FALSE_POSITIVES, COLUMNS };
static const char *const names[] = {"suspected", "declared",         "known",          "messages",
                                    "periods",   "false_suspicions", "false_positives"};

struct swim {
    int64_t nodes, failures, indirect, piggyback, suspicion, periods;
    double loss, lambda;
    struct sim_options sim;
    struct knell_swim_plan plan;
    double *sample[COLUMNS];
};

/* ---- the command line -------------------------------------------------------------------------------------------- */

static int check(struct swim *s)
{
    if (s->failures > s->nodes - 2)
        return cli_usage_error(&usage, "--failures %" PRId64 ": at least two of the %" PRId64 " nodes must live",
                               s->failures, s->nodes);
    if (s->failures == 0 && s->periods == 0)
        return cli_usage_error(&usage, "--failures 0: nothing ends a run; give --periods");
    int64_t suspects = s->loss > 0 ? s->nodes : s->failures;
    if (s->nodes * suspects > REMEMBERED_MAX)
        return cli_usage_error(&usage,
                               "--nodes %" PRId64 ": each remembers what it heard of up to %" PRId64
                               " others; at most %" PRId64 " nodes %s",
                               s->nodes, suspects, s->loss > 0 ? 8192 : REMEMBERED_MAX / suspects,
                               s->loss > 0 ? "with --loss" : "with so many --failures");
    return -1;
}

static void make_plan(struct swim *s)
{
    uint32_t repeats = knell_swim_spread(s->lambda, (uint32_t)s->nodes);
    s->plan = (struct knell_swim_plan){
        .nodes = (uint32_t)s->nodes,
        .failures = (uint32_t)s->failures,
        .indirect = (uint32_t)s->indirect,
        .piggyback = (uint32_t)s->piggyback,
        .repeats = repeats,
        .suspicion = s->suspicion >= 0 ? (uint32_t)s->suspicion : repeats,
        .periods = (uint32_t)s->periods,
        .loss = s->loss,
    };
}

static int parse(int argc, char **argv, struct swim *s)
{
    struct option options[] = {
        OPT_INTEGER("nodes", "N", &s->nodes, 3, 1 << 20, "number of nodes", .required = true),
        OPT_INTEGER("failures", "F", &s->failures, 0, 1 << 20, "nodes that die at time 0", .fallback = "1"),
        OPT_INTEGER("indirect", "K", &s->indirect, 0, KNELL_SWIM_INDIRECT_MAX, "nodes asked to ping for one",
                    .fallback = "3"),
        OPT_REAL("loss", "P", &s->loss, 0, 0.99, "probability that a message is lost", .fallback = "0"),
        OPT_INTEGER("piggyback", "B", &s->piggyback, 0, KNELL_SWIM_PIGGYBACK_MAX, "updates a message carries",
                    .fallback = "24"),
        OPT_REAL("lambda", "L", &s->lambda, 0.01, 100, "how often an update is passed on", .fallback = "3"),
        OPT_INTEGER("suspicion", "S", &s->suspicion, 0, 1000000, "periods from suspicion to death",
                    .fallback_help = "ceil(L ln(N + 1))"),
        OPT_INTEGER("periods", "T", &s->periods, 0, 1000000, "a run lasts at least so long", .fallback = "0"),
        SIM_OPTION_RUNS(&s->sim),
        SIM_OPTIONS(&s->sim),
    };
    s->suspicion = -1;
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status < 0)
        status = check(s);
    if (status < 0)
        make_plan(s);
    return status;
}

/* ---- the runs ---------------------------------------------------------------------------------------------------- */

static void *worker_begin(void *context)
{
    return knell_swim_new(&((struct swim *)context)->plan);
}

static void worker_end(void *worker)
{
    knell_swim_free(worker);
}

static int run(void *context, void *worker, uint64_t number)
{
    struct swim *s = context;
    struct knell_swim_result result;
    knell_swim_run(worker, knell_prng_key((uint64_t)s->sim.seed, number), &result);
    s->sample[SUSPECTED][number] = result.suspected;
    s->sample[DECLARED][number] = result.declared;
    s->sample[KNOWN][number] = result.known;
    s->sample[MESSAGES][number] = result.messages;
    s->sample[PERIODS][number] = (double)result.periods;
    s->sample[FALSE_SUSPICIONS][number] = (double)result.false_suspicions;
    s->sample[FALSE_POSITIVES][number] = result.false_positives;
    return result.no_memory ? KNELL_POOL_NO_MEMORY : 0;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

static double share_alive(const struct swim *s)
{
    return (double)(s->nodes - s->failures) / (double)s->nodes;
}

static void write_text(FILE *out, const struct swim *s, const struct knell_stat stat[COLUMNS], double wall_s)
{
    const struct knell_swim_plan *plan = &s->plan;
    fprintf(out, "SWIM, %u nodes, %u dead, %u indirect probes, loss %g, suspicion %u periods\n", plan->nodes,
            plan->failures, plan->indirect, plan->loss, plan->suspicion);
    fprintf(out, "%u updates a message, each passed on %u times; %" PRId64 " run%s, seed %" PRId64 ", %.2f s\n\n",
            plan->piggyback, plan->repeats, s->sim.runs, s->sim.runs == 1 ? "" : "s", s->sim.seed, wall_s);
    sim_table_head(out);
    for (int i = s->failures ? SUSPECTED : MESSAGES; i < COLUMNS; i++)
        sim_table_row(out,
                      i == FALSE_SUSPICIONS  ? "false suspic."
                      : i == FALSE_POSITIVES ? "false deaths"
                                             : names[i],
                      &stat[i]);
    fputc('\n', out);
    if (s->failures)
        fprintf(
            out,
            "suspected, declared: periods until the first node does, mean of the dead; known: until all do of all.\n"
            "The paper expects the first suspicion after %.4g periods.\n",
            knell_swim_first_expected(share_alive(s)));
    fprintf(out,
            "messages: sent per living node and period; the ring sends 1 heartbeat. A probe of a living node fails\n"
            "with probability %.4g; false deaths: living nodes that some node declared dead.\n",
            knell_swim_false_probe(plan->loss, share_alive(s), plan->indirect));
}

static void integer(struct json *j, const char *key, int64_t value)
{
    json_key(j, key);
    json_integer(j, value);
}

static void real(struct json *j, const char *key, double value)
{
    json_key(j, key);
    json_real(j, value);
}

static void json_plan(struct json *j, const struct swim *s)
{
    integer(j, "nodes", s->plan.nodes);
    integer(j, "failures", s->plan.failures);
    integer(j, "indirect", s->plan.indirect);
    real(j, "loss", s->plan.loss);
    integer(j, "piggyback", s->plan.piggyback);
    integer(j, "repeats", s->plan.repeats);
    integer(j, "suspicion", s->plan.suspicion);
    integer(j, "runs", s->sim.runs);
    integer(j, "seed", s->sim.seed);
}

static void write_json(FILE *out, const struct swim *s, const struct knell_stat stat[COLUMNS], double wall_s)
{
    struct json j;
    json_begin(&j, out);
    json_object(&j);
    json_plan(&j, s);
    for (int i = 0; i < COLUMNS; i++) {
        if (i >= MESSAGES || s->failures) {
            sim_json_put_stat(&j, names[i], &stat[i]);
            continue;
        }
        json_key(&j, names[i]);
        json_null(&j);
    }
    real(&j, "suspected_expected", knell_swim_first_expected(share_alive(s)));
    real(&j, "false_probe_expected", knell_swim_false_probe(s->plan.loss, share_alive(s), s->plan.indirect));
    real(&j, "wall_s", wall_s);
    json_close(&j);
}

static int simulate(struct swim *s)
{
    struct knell_pool_job job = {
        .runs = (uint64_t)s->sim.runs,
        .context = s,
        .run = run,
        .worker_begin = worker_begin,
        .worker_end = worker_end,
    };
    struct knell_stat stat[COLUMNS];
    struct output out;
    double wall_s;
    if (sim_run(&s->sim, "swim", &job, NULL, &wall_s) != 0)
        return cli_failure(&usage, "no memory for --nodes %" PRId64, s->nodes);
    for (int i = 0; i < COLUMNS; i++)
        stat[i] = knell_stat_of(s->sample[i], (size_t)s->sim.runs);
    if (output_begin(&out, &usage) != EXIT_OK)
        return EXIT_FAILED;
    (s->sim.json ? write_json : write_text)(out.f, s, stat, wall_s);
    return output_commit(&out, &usage);
}

int sim_swim_command(int argc, char **argv)
{
    struct swim s = {0};
    int status = parse(argc, argv, &s);
    if (status >= 0)
        return status;
    double *samples = calloc((size_t)s.sim.runs, COLUMNS * sizeof *samples);
    if (!samples)
        return cli_failure(&usage, "no memory for --runs %" PRId64, s.sim.runs);
    for (int i = 0; i < COLUMNS; i++)
        s.sample[i] = samples + i * s.sim.runs;
    status = simulate(&s);
    free(samples);
    return status;
}
