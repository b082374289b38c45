/* ring.c: `knell sim ring`: nodes of a simulated platform die; how long until every living node knows? */
#include "cli/sim/failure_list.h"
#include "cli/sim/ring_fail.h"
#include "cli/sim/sim.h"
#include "cli/sim/timeline.h"
#include "cli/common/json.h"
#include "cli/common/output.h"
#include "sim/bounds.h"
#include "sim/ring.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct usage usage = {
    .command = "knell sim ring",
    .summary =
        "Simulates the failure detector on a platform whose nodes die, and measures the time until every living node "
        "knows the first failure (first) and all failures, with the ring whole again (stable).",
    .notes =
        "--failures burst[=F]  F random nodes, the first at 0, the others uniform within --window; F defaults to the most "
        "that the bound covers, floor(log2 N) - 1\n"
        "--failures mtbf=T     one at 0, then at random with that mean time between failures of a node, until stable\n"
        "--failures list=FILE  lines `time node`, as in `12.5s 7`; a time without a unit is in seconds; # comments\n"
        "--fail FILE [-D X=5]  a scenario in FAIL; its slots with a program are the nodes 0, 1, 2, ... in the order of the "
        "text, slots beyond the last node are empty; implies --heartbeats simulated. A run ends when the scenario has nothing "
        "more to do and the platform is stable, or at --until\n"
        "\n"
        "Presets: lownoise: eta 10 s, delta 60 s; lowlat: eta 0.1 s, delta 1 s; both with tau 1 us.\n"
        "Fidelity full runs every message through the protocol core; fast is the papers' abstraction, for many runs.\n"
        "In JSON bound_s is T(f) in seconds, or null where no bound holds: more failures than floor(log2 N) - 1, so always "
        "with N < 4, or eta < 3 tau.\n"
        "broadcasts are those started, messages all that nodes send: copies of broadcasts, NewObserver, lists, and heartbeats where "
        "these are simulated; elided ones are not counted. The fast fidelity has neither.\n"
        "Status 1 if a property was violated: a living node suspected, a death not known to all, T(f) exceeded.\n",
    .examples = "  knell sim ring --nodes 64 --preset lowlat --failures burst --timeline\n"
                "  knell sim ring --nodes 256000 --preset lownoise --failures burst \\\n"
                "      --fidelity fast --runs 10000\n"
                "  knell sim ring --nodes 4096 --eta 10ms --delta 100ms --tau 50us \\\n"
                "      --failures mtbf=30d --json\n"
                "  knell sim ring --nodes 49 --preset lowlat --runs 1 \\\n"
                "      --fail examples/fail/figure-7a.fail -D X=3\n",
};

/* The longest time of any option: T(f) of 2^24 nodes still fits into 64 bits of nanoseconds. */
#define LONGEST (INT64_C(30) * 86400 * 1000000000)

enum { FULL, FAST };
enum { LOWNOISE, LOWLAT };
enum { ELIDED, SIMULATED };
static const char *const fidelities[] = {"full", "fast", NULL};
static const char *const presets[] = {"lownoise", "lowlat", NULL};
static const char *const overlays[] = {"circulant", "hba", NULL};
static const char *const networks[] = {"latency", "oneport", NULL};
static const char *const heartbeats[] = {"elided", "simulated", NULL};

struct ring {
    int64_t nodes, eta, delta, tau, window;
    int preset, overlay, network, fidelity, heartbeats;
    const char *failures;
    bool latest_only, timeline;
    struct sim_options sim;
    struct ring_fail fail;
    struct knell_ring_plan plan;
    struct knell_failure *list;
    struct knell_ring_result *results; /* by run */
};

/* ---- the command line -------------------------------------------------------------------------------------------- */

static int check_times(struct ring *r, const struct option *options, size_t n)
{
    bool preset = options_find(options, n, "preset")->given;
    static const char *const times[] = {"eta", "delta", "tau"};
    for (size_t i = 0; i < 3; i++) {
        if (options_find(options, n, times[i])->given == !preset)
            continue;
        if (preset)
            return cli_usage_error(&usage, "--%s: --preset sets it already; give one or the other", times[i]);
        return cli_usage_error(&usage, "--%s: missing; give --preset lownoise|lowlat, or all of --eta, --delta, --tau",
                               times[i]);
    }
    if (preset) {
        r->tau = 1000;
        r->eta = r->preset == LOWNOISE ? INT64_C(10000000000) : 100000000;
        r->delta = r->preset == LOWNOISE ? INT64_C(60000000000) : 1000000000;
    }
    return EXIT_OK;
}

static int check_config(struct ring *r)
{
    char delta[DURATION_TEXT], least[DURATION_TEXT];
    const char *why = NULL;
    if (r->delta < r->eta + r->tau)
        return cli_usage_error(&usage, "--delta %s: must be at least eta + tau = %s", format_duration(r->delta, delta),
                               format_duration(r->eta + r->tau, least));
    r->plan.config = (struct knell_config){
        .ranks = (uint32_t)r->nodes,
        .eta = r->eta,
        .delta = r->delta,
        .tau = r->tau,
        .overlay = r->overlay ? KNELL_OVERLAY_HBA : KNELL_OVERLAY_CIRCULANT,
        .latest_only = r->latest_only,
        .beats = r->heartbeats == SIMULATED ? KNELL_BEATS_SENT : KNELL_BEATS_POSTED,
    };
    r->plan.network = r->network ? KNELL_NETWORK_ONEPORT : KNELL_NETWORK_LATENCY;
    if (knell_config_check(&r->plan.config, &why) != 0)
        return cli_usage_error(&usage, "%s", why);
    return EXIT_OK;
}

static int parse_burst(struct ring *r, const char *value)
{
    int64_t count = knell_bounds_f_max((uint64_t)r->nodes);
    if (count < 1)
        count = 1;
    if (value && (parse_integer(value, &count) != NULL || count < 1 || count >= r->nodes))
        return cli_usage_error(&usage, "--failures burst=%s: must be a whole number from 1 to %" PRId64, value,
                               r->nodes - 1);
    r->plan.failures.kind = KNELL_FAILURES_BURST;
    r->plan.failures.count = (uint32_t)count;
    r->plan.failures.window = r->window >= 0 ? r->window : r->delta;
    return EXIT_OK;
}

static int parse_mtbf(struct ring *r, const char *value)
{
    double seconds;
    const char *wrong = parse_seconds(value, &seconds);
    if (wrong)
        return cli_usage_error(&usage, "--failures mtbf=%s: %s", value, wrong);
    if (seconds <= 0 || seconds > 1e6 * 365 * 86400)
        return cli_usage_error(&usage, "--failures mtbf=%s: must be more than 0 and at most 1000000 y", value);
    r->plan.failures.kind = KNELL_FAILURES_MTBF;
    r->plan.failures.mtbf_s = seconds;
    return EXIT_OK;
}

static int parse_list(struct ring *r, const char *value)
{
    r->plan.failures.kind = KNELL_FAILURES_LIST;
    int status = failure_list_read(&usage, value, (uint32_t)r->nodes, &r->list, &r->plan.failures.list_count);
    r->plan.failures.list = r->list;
    return status;
}

static int parse_failures(struct ring *r)
{
    const char *text = r->failures;
    assert(text); /* a required option */
    r->plan.failures.ranks = (uint32_t)r->nodes;
    if (r->window >= 0 && strncmp(text, "burst", 5) != 0)
        return cli_usage_error(&usage, "--window: only with --failures burst");
    if (strcmp(text, "burst") == 0)
        return parse_burst(r, NULL);
    if (strncmp(text, "burst=", 6) == 0)
        return parse_burst(r, text + 6);
    if (strncmp(text, "mtbf=", 5) == 0)
        return parse_mtbf(r, text + 5);
    if (strncmp(text, "list=", 5) == 0)
        return parse_list(r, text + 5);
    return cli_usage_error(&usage, "--failures %s: must be burst, burst=F, mtbf=T or list=FILE", text);
}

/* Neighbouring dead nodes are detected one after the other, each within 2 delta: the clock must not overflow before
 * the last. */
static int check_clock(const struct ring *r)
{
    const struct knell_failures_plan *plan = &r->plan.failures;
    double failures = plan->kind == KNELL_FAILURES_BURST  ? plan->count
                      : plan->kind == KNELL_FAILURES_LIST ? (double)plan->list_count
                                                          : plan->ranks;
    char delta[DURATION_TEXT];
    if (failures * 2 * (double)r->delta <= (double)DURATION_MAX_NS / 2)
        return EXIT_OK;
    return cli_usage_error(&usage, "--delta %s: %.0f failures in a row would take more than 100 y of simulated time",
                           format_duration(r->delta, delta), failures);
}

static int check_fidelity(struct ring *r, const struct option *options, size_t n)
{
    if (r->fidelity == FAST && (r->network || r->heartbeats || r->timeline))
        return cli_usage_error(&usage, "--fidelity fast: knows no --%s; use --fidelity full",
                               r->network      ? "network oneport"
                               : r->heartbeats ? "heartbeats simulated"
                                               : "timeline");
    if (r->timeline && r->sim.json)
        return cli_usage_error(&usage, "--timeline: a picture, not for --json");
    if (r->timeline && options_find(options, n, "runs")->given && r->sim.runs != 1)
        return cli_usage_error(&usage, "--timeline: shows one run; --runs must be 1");
    if (r->timeline)
        r->sim.runs = 1;
    return EXIT_OK;
}

static int parse(int argc, char **argv, struct ring *r)
{
    struct option options[] = {
        OPT_INTEGER("nodes", "N", &r->nodes, 2, 16777216, "number of nodes", .required = true),
        OPT_WORD("preset", &r->preset, presets, "values of eta, delta and tau"),
        OPT_DURATION("eta", "T", &r->eta, 1, LONGEST, "heartbeat period"),
        OPT_DURATION("delta", "T", &r->delta, 1, LONGEST, "suspicion timeout, at least eta + tau"),
        OPT_DURATION("tau", "T", &r->tau, 1, LONGEST, "bound on the time of one message"),
        OPT_TEXT("failures", "HOW", &r->failures, "burst[=F], mtbf=T or list=FILE, see below"),
        OPT_DURATION("window", "T", &r->window, 0, LONGEST, "length of a burst", .fallback_help = "delta"),
        OPT_WORD("overlay", &r->overlay, overlays, "how a death is broadcast", .fallback = "circulant"),
        OPT_FLAG("latest-only", &r->latest_only, "a broadcast does not repeat earlier deaths, and goes to all nodes"),
        OPT_WORD("network", &r->network, networks, "delays uniform in (0, tau], or one port per node",
                 .fallback = "latency"),
        OPT_WORD("heartbeats", &r->heartbeats, heartbeats, "only those that matter, or every one",
                 .fallback = "elided"),
        OPT_WORD("fidelity", &r->fidelity, fidelities, "every message, or the papers' abstraction", .fallback = "full"),
        RING_FAIL_OPTIONS(&r->fail),
        OPT_FLAG("timeline", &r->timeline, "draw one run instead of statistics"),
        OPT_INTEGER("runs", "R", &r->sim.runs, 1, 100000000, "number of independent runs", .fallback = "100"),
        SIM_OPTIONS(&r->sim),
    };
    size_t n = COUNT_OF(options);
    r->window = -1;
    int status = options_parse(&usage, options, n, argc, argv);
    if (status >= 0)
        return status;
    if ((status = ring_fail_check(&usage, &r->fail, options, n)) != EXIT_OK ||
        (status = check_times(r, options, n)) != EXIT_OK || (status = check_config(r)) != EXIT_OK ||
        (status = check_fidelity(r, options, n)) != EXIT_OK ||
        (!r->fail.file && (status = parse_failures(r)) != EXIT_OK) || (status = check_clock(r)) != EXIT_OK)
        return status;
    return -1;
}

/* ---- the runs ---------------------------------------------------------------------------------------------------- */

static void *full_begin(void *context)
{
    return knell_ring_full_new(&((struct ring *)context)->plan);
}

static void full_end(void *worker)
{
    knell_ring_full_free(worker);
}

static void *fast_begin(void *context)
{
    return knell_ring_fast_new(&((struct ring *)context)->plan);
}

static void fast_end(void *worker)
{
    knell_ring_fast_free(worker);
}

static int run(void *context, void *worker, uint64_t number)
{
    struct ring *r = context;
    uint64_t key = knell_prng_key((uint64_t)r->sim.seed, number);
    struct knell_ring_result *result = &r->results[number];
    if (r->fidelity == FAST)
        knell_ring_fast_run(worker, key, result);
    else
        knell_ring_full_run(worker, key, result);
    return result->no_memory ? KNELL_POOL_NO_MEMORY : 0;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

struct report {
    struct knell_stat first, stable, failures, broadcasts, messages;
    uint64_t suspected_living, never_known, bound_broken, events;
    bool has_bound;
    double bound_s, wall_s;
};

static uint64_t violations(const struct report *report)
{
    return report->suspected_living + report->never_known + report->bound_broken;
}

static int summarise(const struct ring *r, struct report *report)
{
    size_t runs = (size_t)r->sim.runs;
    double *samples = calloc(runs, 5 * sizeof *samples);
    if (!samples)
        return -1;
    for (size_t i = 0; i < runs; i++) {
        const struct knell_ring_result *result = &r->results[i];
        samples[i] = result->first_s;
        samples[runs + i] = result->stable_s;
        samples[2 * runs + i] = result->failures;
        samples[3 * runs + i] = (double)result->broadcasts;
        samples[4 * runs + i] = (double)result->messages;
        report->suspected_living += result->suspected_living;
        report->never_known += result->never_known;
        report->bound_broken += result->bound_broken;
        report->events += result->events;
    }
    report->first = knell_stat_of(samples, runs);
    report->stable = knell_stat_of(samples + runs, runs);
    report->failures = knell_stat_of(samples + 2 * runs, runs);
    report->broadcasts = knell_stat_of(samples + 3 * runs, runs);
    report->messages = knell_stat_of(samples + 4 * runs, runs);
    knell_time bound = knell_ring_bound(&r->plan.config, (uint32_t)report->failures.max);
    report->has_bound = bound != KNELL_NEVER;
    report->bound_s = (double)bound * 1e-9;
    free(samples);
    return 0;
}

/* With --fidelity fast no messages are simulated. */
static void json_counts(struct json *j, const struct ring *r, const struct report *report)
{
    if (r->fidelity == FULL) {
        sim_json_put_stat(j, "broadcasts", &report->broadcasts);
        sim_json_put_stat(j, "messages", &report->messages);
        return;
    }
    json_key(j, "broadcasts");
    json_null(j);
    json_key(j, "messages");
    json_null(j);
}

static void write_json(FILE *out, const struct ring *r, const struct report *report)
{
    struct json j;
    json_begin(&j, out);
    json_object(&j);
    json_key(&j, "nodes");
    json_integer(&j, r->nodes);
    json_key(&j, "runs");
    json_integer(&j, r->sim.runs);
    json_key(&j, "seed");
    json_integer(&j, r->sim.seed);
    sim_json_put_stat(&j, "first_s", &report->first);
    sim_json_put_stat(&j, "stable_s", &report->stable);
    sim_json_put_stat(&j, "failures", &report->failures);
    json_counts(&j, r, report);
    json_key(&j, "bound_s");
    if (report->has_bound)
        json_real(&j, report->bound_s);
    else
        json_null(&j);
    json_key(&j, "violations");
    json_unsigned(&j, violations(report));
    json_key(&j, "events");
    json_unsigned(&j, report->events);
    json_key(&j, "wall_s");
    json_real(&j, report->wall_s);
    json_close(&j);
}

static void write_bound(FILE *out, const struct ring *r, const struct report *report)
{
    char bound[DURATION_TEXT];
    if (report->has_bound)
        fprintf(out, "Bound T(%.0f) = %s for the most failures seen.\n", report->failures.max,
                format_seconds(report->bound_s, 5, bound));
    else if (!knell_bounds_valid((double)r->eta * 1e-9, (double)r->tau * 1e-9))
        fprintf(out, "Bound not valid: it needs eta >= 3 tau.\n");
    else
        fprintf(out, "Bound not valid: it covers up to %u failures.\n", knell_bounds_f_max((uint64_t)r->nodes));
}

static void write_text(FILE *out, const struct ring *r, const struct report *report)
{
    char eta[DURATION_TEXT], delta[DURATION_TEXT], tau[DURATION_TEXT];
    fprintf(out, "Failure detector, %" PRId64 " nodes, eta %s, delta %s, tau %s, %s\n", r->nodes,
            format_duration(r->eta, eta), format_duration(r->delta, delta), format_duration(r->tau, tau),
            r->fidelity == FAST ? "fast" : overlays[r->overlay]);
    fprintf(out, "%" PRId64 " run%s, seed %" PRId64 ", %" PRIu64 " events, %.2f s\n\n", r->sim.runs,
            r->sim.runs == 1 ? "" : "s", r->sim.seed, report->events, report->wall_s);
    sim_table_head(out);
    sim_table_row(out, "first (s)", &report->first);
    sim_table_row(out, "stable (s)", &report->stable);
    sim_table_row(out, "failures", &report->failures);
    if (r->fidelity == FULL) {
        sim_table_row(out, "broadcasts", &report->broadcasts);
        sim_table_row(out, "messages", &report->messages);
    }
    fputc('\n', out);
    write_bound(out, r, report);
    if (violations(report) == 0)
        fprintf(out, "No violation: nobody alive was suspected, every death became known.\n");
    else
        fprintf(out,
                "VIOLATIONS: %" PRIu64 " living suspected, %" PRIu64 " deaths not known to all, %" PRIu64
                " times longer than T(f).\n",
                report->suspected_living, report->never_known, report->bound_broken);
}

static int simulate(struct ring *r)
{
    struct knell_pool_job job = {
        .runs = (uint64_t)r->sim.runs,
        .context = r,
        .run = run,
        .worker_begin = r->fidelity == FAST ? fast_begin : full_begin,
        .worker_end = r->fidelity == FAST ? fast_end : full_end,
    };
    struct report report = {0};
    struct timeline timeline = {0};
    struct output out;
    if (r->timeline) {
        r->plan.log = timeline_log;
        r->plan.log_context = &timeline;
    }
    if (sim_run(&r->sim, "ring", &job, NULL, &report.wall_s) != 0 || summarise(r, &report) != 0)
        return cli_failure(&usage, "no memory for --nodes %" PRId64, r->nodes);
    if (output_begin(&out, &usage) != EXIT_OK)
        return EXIT_FAILED;
    if (r->sim.json)
        write_json(out.f, r, &report);
    else
        write_text(out.f, r, &report);
    if (r->timeline) {
        fputc('\n', out.f);
        timeline_draw(&timeline, out.f, isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
        timeline_free(&timeline);
    }
    int status = output_commit(&out, &usage);
    return status == EXIT_OK && violations(&report) ? EXIT_FAILED : status;
}

static int run_scenario(struct ring *r)
{
    r->fail.config = r->plan.config;
    r->fail.network = r->plan.network;
    r->fail.timeline = r->timeline;
    r->fail.sim = r->sim;
    return ring_fail_run(&usage, &r->fail);
}

static int run_failures(struct ring *r)
{
    r->results = calloc((size_t)r->sim.runs, sizeof *r->results);
    return r->results ? simulate(r) : cli_failure(&usage, "no memory for --runs %" PRId64, r->sim.runs);
}

int sim_ring_command(int argc, char **argv)
{
    struct ring r = {0};
    char **arguments = scenario_long_options(&usage, argc, argv);
    if (!arguments)
        return EXIT_FAILED;
    int status = parse(argc, arguments, &r);
    if (status < 0)
        status = r.fail.file ? run_scenario(&r) : run_failures(&r);
    free(r.results);
    free(r.list);
    free(arguments);
    return status;
}
