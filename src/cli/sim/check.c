/* check.c: `knell sim check`: every property of the protocol, on many small random worlds and on every run of tiny
 * ones. */
#include "cli/sim/options.h"
#include "cli/sim/sim.h"
#include "cli/common/json.h"
#include "cli/common/output.h"
#include "cli/common/progress.h"
#include "os/clock.h"
#include "sim/check.h"
#include "sim/explore.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct usage usage = {
    .command = "knell sim check",
    .summary =
        "Checks every property of the protocol on W small random worlds (sizes, delays, orders, crash points, bursts beyond "
        "the bound, departures, false accusations, revokes, agreements), and agreement exhaustively on 2 to E nodes.",
    .notes =
        "A violation prints the one command that shows it again, and the status is 1.\n"
        "--world K runs only that world and prints what happens in it.\n"
        "--edge X makes X happen in each of the random worlds: leaves (nodes leave the moment they return from an agreement), "
        "accusers (a false accusation by one that dies), drops (of groups), revokes (by nodes that die); any is all of it now and "
        "then. In worlds with splits (of the network, which may heal) a side that may be the smaller one ends, and it is checked "
        "that no two sides go on.\n"
        "--exhaustive 4 takes some seconds, 5 half a minute more, 6 very long and much memory; 0 leaves it out. Up to 4 nodes "
        "all may crash, or one is accused falsely and one crashes, or all leave.\n",
    .examples = "  knell sim check --worlds 10000\n"
                "  knell sim check --worlds 1000000 --exhaustive 5\n"
                "  knell sim check --seed 1 --world 441\n",
};

struct check {
    int64_t worlds, world, exhaustive;
    int edge; /* enum knell_edge */
    bool one;
    struct sim_options sim;
    const char **violated; /* by world: the violated property, or NULL */
    char (*complaint)[160];
    uint64_t explored, lost;
    double wall_s;
};

static const char *const edges[] = {"any", "leaves", "accusers", "drops", "revokes", "splits", NULL};

static int parse(int argc, char **argv, struct check *c)
{
    struct option options[] = {
        OPT_INTEGER("worlds", "W", &c->worlds, 0, 100000000, "random worlds to run", .fallback = "10000"),
        OPT_INTEGER("world", "K", &c->world, 0, INT64_MAX, "run only world number K, and print what happens"),
        OPT_INTEGER("exhaustive", "E", &c->exhaustive, 0, KNELL_EXPLORE_NODES_MAX,
                    "explore agreement of up to E nodes exhaustively", .fallback = "4"),
        OPT_WORD("edge", &c->edge, edges, "what happens in each of the random worlds, at an edge of the model",
                 .fallback = "any"),
        SIM_OPTIONS(&c->sim),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status >= 0)
        return status;
    c->one = options_find(options, COUNT_OF(options), "world")->given;
    if (c->one && options_find(options, COUNT_OF(options), "worlds")->given)
        return cli_usage_error(&usage, "--world: shows one world; leave --worlds out");
    if (c->one && c->sim.json)
        return cli_usage_error(&usage, "--world: prints a trace; not with --json");
    if (c->one && options_find(options, COUNT_OF(options), "exhaustive")->given)
        return cli_usage_error(&usage, "--exhaustive: not with --world, which shows one world only");
    if (c->worlds == 0 && c->exhaustive == 0)
        return cli_usage_error(&usage, "--worlds 0: with --exhaustive 0 there is nothing to check");
    if (c->exhaustive == 1)
        return cli_usage_error(&usage, "--exhaustive 1: must be 0, or 2 to %d", KNELL_EXPLORE_NODES_MAX);
    return -1;
}

/* ---- the trace of one world -------------------------------------------------------------------------------------- */

static int show_world(const struct check *c)
{
    static struct knell_check check;
    struct output out;
    if (output_begin(&out, &usage) != EXIT_OK)
        return EXIT_FAILED;
    knell_check_run(&check, (enum knell_edge)c->edge, knell_prng_key((uint64_t)c->sim.seed, (uint64_t)c->world), out.f);
    fprintf(out.f,
            "(times in ns)\n\nworld %" PRId64 ": %" PRIu32 " nodes, eta %" PRId64 " ns, delta %" PRId64
            " ns, tau %" PRId64 " ns: %s%s%s\n",
            c->world, check.plan.config.ranks, check.plan.config.eta, check.plan.config.delta, check.plan.config.tau,
            check.violated ? check.violated : "every property holds", check.violated ? ": " : "", check.complaint);
    int status = output_commit(&out, &usage);
    return status == EXIT_OK && check.violated ? EXIT_FAILED : status;
}

/* ---- many -------------------------------------------------------------------------------------------------------- */

static void *worker_begin(void *context)
{
    (void)context;
    return calloc(1, sizeof(struct knell_check));
}

static int run(void *context, void *worker, uint64_t number)
{
    struct check *c = context;
    struct knell_check *check = worker;
    knell_check_run(check, (enum knell_edge)c->edge, knell_prng_key((uint64_t)c->sim.seed, number), NULL);
    c->violated[number] = check->violated;
    memcpy(c->complaint[number], check->complaint, sizeof c->complaint[number]);
    return check->no_memory ? KNELL_POOL_NO_MEMORY : 0;
}

static int run_worlds(struct check *c)
{
    struct knell_pool_job job = {
        .runs = (uint64_t)c->worlds, .context = c, .run = run, .worker_begin = worker_begin, .worker_end = free};
    double wall_s;
    if (c->worlds == 0)
        return 0;
    int error = sim_run(&c->sim, "worlds", &job, NULL, &wall_s);
    c->wall_s += wall_s;
    return error;
}

static void show_states(void *progress, uint64_t states)
{
    progress_report(progress, states);
}

struct exploration {
    struct knell_explore_plan plan;
    uint64_t expected; /* states */
};

static const struct exploration explorations[] = {
    {{.nodes = 2, .crashes = 2, .careful = true}, 58},
    {{.nodes = 2, .crashes = 1, .accusations = 1, .careful = true}, 188},
    {{.nodes = 2, .leaves = 2, .careful = true}, 100},
    {{.nodes = 3, .crashes = 3, .careful = true}, 2216},
    {{.nodes = 3, .crashes = 1, .accusations = 1, .careful = true}, 13298},
    {{.nodes = 3, .leaves = 3, .careful = true}, 5000},
    {{.nodes = 4, .crashes = 4, .careful = true}, 220344},
    {{.nodes = 4, .crashes = 1, .accusations = 1, .careful = true}, 749787},
    {{.nodes = 4, .leaves = 4, .careful = true}, 562732},
    {{.nodes = 5, .crashes = 5}, 2900000},
    {{.nodes = 6, .crashes = 6}, 400000000},
};

static int explore_one(struct check *c, const struct exploration *exploration, struct knell_explore_result *result)
{
    struct progress progress;
    progress_begin(&progress, "states", exploration->expected);
    knell_explore_agreement(&exploration->plan, show_states, &progress, result);
    progress_end(&progress);
    c->explored += result->states;
    c->lost += result->lost;
    return result->no_memory ? -1 : 0;
}

/* Every number of nodes up to E. The first violation ends it. */
static int explore_all(struct check *c, struct knell_explore_result *result)
{
    knell_time begin = knell__clock_now();
    memset(result, 0, sizeof *result);
    for (size_t i = 0; i < COUNT_OF(explorations) && !result->violated; i++)
        if (explorations[i].plan.nodes <= c->exhaustive && explore_one(c, &explorations[i], result) != 0)
            return -1;
    c->wall_s += (double)(knell__clock_now() - begin) * 1e-9;
    return 0;
}

static const struct knell_property *const *properties_of(const struct check *c)
{
    return c->edge == KNELL_EDGE_SPLITS ? knell_split_properties : knell_properties;
}

static uint64_t count_violations(const struct check *c, const char *property)
{
    uint64_t count = 0;
    for (int64_t i = 0; i < c->worlds; i++)
        count += c->violated[i] && (!property || c->violated[i] == property);
    return count;
}

static void write_json(FILE *out, const struct check *c, const struct knell_explore_result *explored)
{
    struct json j;
    json_begin(&j, out);
    json_object(&j);
    json_key(&j, "worlds");
    json_integer(&j, c->worlds);
    json_key(&j, "seed");
    json_integer(&j, c->sim.seed);
    json_key(&j, "properties");
    json_object(&j);
    const struct knell_property *const *property = properties_of(c);
    for (size_t i = 0; property[i]; i++) {
        json_key(&j, property[i]->name);
        json_unsigned(&j, count_violations(c, property[i]->name));
    }
    json_close(&j);
    json_key(&j, "exhaustive_nodes");
    json_integer(&j, c->exhaustive);
    json_key(&j, "exhaustive_states");
    json_unsigned(&j, c->explored);
    json_key(&j, "violations");
    json_unsigned(&j, count_violations(c, NULL) + explored->violated);
    json_key(&j, "wall_s");
    json_real(&j, c->wall_s);
    json_close(&j);
}

static void write_text(FILE *out, const struct check *c, const struct knell_explore_result *explored)
{
    fprintf(out, "%" PRId64 " random worlds, seed %" PRId64 ", %.2f s\n\n", c->worlds, c->sim.seed, c->wall_s);
    const struct knell_property *const *property = properties_of(c);
    for (size_t i = 0; property[i]; i++)
        fprintf(out, "  %-13s %-55s %" PRIu64 " violated\n", property[i]->name, property[i]->says,
                count_violations(c, property[i]->name));
    if (c->exhaustive)
        fprintf(out, "\nAgreement, exhaustively for 2 to %" PRId64 " nodes: %" PRIu64 " states, %s\n", c->exhaustive,
                c->explored, explored->violated ? "VIOLATED" : "every property holds");
    int shown = 0;
    for (int64_t i = 0; i < c->worlds && shown < 10; i++)
        if (c->violated[i] && ++shown)
            fprintf(out,
                    "\nworld %" PRId64 " violates %s: %s\n  knell sim check%s%s --seed %" PRId64 " --world %" PRId64
                    "\n",
                    i, c->violated[i], c->complaint[i], c->edge ? " --edge " : "", c->edge ? edges[c->edge] : "",
                    c->sim.seed, i);
    if (explored->violated)
        fprintf(out, "\n%s  knell sim check --worlds 0 --exhaustive %" PRId64 "\n", explored->story, c->exhaustive);
}

static int check_all(struct check *c)
{
    struct knell_explore_result explored;
    struct output out;
    if (run_worlds(c) != 0 || explore_all(c, &explored) != 0)
        return cli_failure(&usage, "no memory");
    if (output_begin(&out, &usage) != EXIT_OK)
        return EXIT_FAILED;
    if (c->sim.json)
        write_json(out.f, c, &explored);
    else
        write_text(out.f, c, &explored);
    int status = output_commit(&out, &usage);
    bool violated = count_violations(c, NULL) || explored.violated;
    return status == EXIT_OK && violated ? EXIT_FAILED : status;
}

int sim_check_command(int argc, char **argv)
{
    struct check c = {0};
    int status = parse(argc, argv, &c);
    if (status >= 0)
        return status;
    if (c.one)
        return show_world(&c);
    c.violated = calloc((size_t)c.worlds + 1, sizeof *c.violated);
    c.complaint = calloc((size_t)c.worlds + 1, sizeof *c.complaint);
    status =
        c.violated && c.complaint ? check_all(&c) : cli_failure(&usage, "no memory for --worlds %" PRId64, c.worlds);
    free(c.violated);
    free(c.complaint);
    return status;
}
