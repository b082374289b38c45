/* explore.c: `knell explore`: the command line. */
#include "cli/explore/explore.h"

#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
    .command = "knell explore",
    .summary =
        "Finds the deaths that an MPI program does not survive. Runs PROGRAM without faults, then once for every place at "
        "which a rank could die, groups what goes wrong, and prints for each cause the one command that shows it again.",
    .operands = "PROGRAM [argument...]",
    .notes =
        "A point is a rank and one of its communicating calls: the rank dies before it. --inside: also between the messages "
        "of a call.\n"
        "A run is right if the survivors exit with 0, nobody is frozen and --check and --expect agree.\n"
        "--check CMD: sh -c CMD reads the job's standard output; KNELL_DEAD has the dead ranks. --expect REGEX: a line must match.\n"
        "--deaths 2: also a second death while the survivors recover from the first; --during any: and two ranks at one place.\n"
        "Pruning: the same place (function, call stack, size of the communicator, known deaths) is struck the first, the second "
        "and the last time and once at random (times); of ranks that make the same calls the first, the last and one between (ranks); "
        "a recovery like one seen before gets no second deaths (recoveries). --no-prune RULE turns one off, --all all of them.\n"
        "The folder has the records of all runs that failed (--out; knell-explore-PROGRAM-N). --resume DIR goes on after any end.\n"
        "Exit status: 0 all right, 1 some death was not survived or something leaked, 2 wrong input, 3 nothing can be said (it fails "
        "without faults, no fault struck), 130 after ctrl-C.\n",
    .examples = "  knell explore -n 4 --check 'grep -q right' ./app\n"
                "  knell explore -n 4 --deaths 2 --budget 10m ./app\n"
                "  knell explore -n 4 --mode ghost --inside --max-failures 5 ./app\n"
                "  knell explore -n 4 --dry-run ./app\n"
                "  knell explore --resume knell-explore-app-1\n",
};

static const char *const during_words[] = {"recovery", "any", NULL};
static const char *const rules[] = {"times", "ranks", "recoveries"};

static int check(const struct explore_plan *plan)
{
    for (size_t i = 0; i < plan->unpruned.n; i++) {
        bool known = false;
        for (size_t r = 0; r < COUNT_OF(rules); r++)
            known |= strcmp(plan->unpruned.items[i], rules[r]) == 0;
        if (!known)
            return cli_usage_error(&usage, "--no-prune %.80s: times, ranks or recoveries is expected",
                                   plan->unpruned.items[i]);
    }
    if (plan->ranks < plan->deaths + 1)
        return cli_usage_error(&usage, "-n must leave a survivor: at least %d ranks", (int)plan->deaths + 1);
    return -1;
}

static bool is_for_resume(const char *name)
{
    static const char *const names[] = {"resume", "budget", "max-failures", "jobs", "json", "PROGRAM"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static int parse(int argc, char **argv, struct explore_plan *plan)
{
    struct option options[] = {
        OPT_INTEGER("ranks", "N", &plan->ranks, 2, 4096, "number of ranks", .brief = {"n", "np"}, .fallback = "4"),
        OPT_TEXT("mpi", "openmpi|mpich", &plan->mpi, "the program's MPI", .fallback_help = "the one it is linked with"),
        OPT_TEXT("mode", "real|ghost", &plan->mode, "how ranks die", .fallback_help = "real"),
        OPT_TEXT("check", "CMD", &plan->check, "judges the output of a run"),
        OPT_TEXT("expect", "REGEX", &plan->expect, "a line of the output must match"),
        OPT_TEXT("progress", "REGEX", &plan->progress, "lines of the output that are progress"),
        OPT_INTEGER("deaths", "N", &plan->deaths, 1, 2, "deaths in one run", .fallback = "1"),
        OPT_WORD("during", &plan->during, during_words, "--deaths 2: when the second one strikes",
                 .arg = "recovery|any", .fallback = "recovery"),
        OPT_FLAG("inside", &plan->inside, "also strike between the messages of a call"),
        OPT_FLAG("all", &plan->all, "no pruning"),
        OPT_TEXTS("no-prune", "RULE", &plan->unpruned, "without this rule of pruning: times, ranks, recoveries"),
        OPT_DURATION("budget", "T", &plan->budget, 1000000, INT64_C(31536000000000000), "starts no run after T"),
        OPT_INTEGER("max-failures", "N", &plan->max_failures, 1, INT32_MAX, "stops after N runs that failed"),
        OPT_INTEGER("jobs", "N", &plan->jobs, 1, 64, "runs at the same time", .fallback = "1"),
        OPT_INTEGER("seed", "N", &plan->seed, 0, INT64_MAX, "seed of the random choices", .fallback = "1"),
        OPT_DURATION("timeout", "T", &plan->timeout, 100000000, INT64_C(31536000000000000), "limit of a run",
                     .fallback_help = "5 times the longest run without faults, at least 5 s; 60 s for those"),
        OPT_TEXT("hosts", "H,H:RANKS", &plan->hosts, "as of knell run"),
        OPT_TEXT("hostfile", "FILE", &plan->hostfile, "as of knell run"),
        OPT_TEXT("interface", "NAME", &plan->interface, "as of knell run"),
        OPT_TEXT("rsh", "CMD", &plan->rsh, "as of knell run"),
        OPT_TEXT("eta", "T", &plan->eta, "as of knell run"),
        OPT_TEXT("delta", "T", &plan->delta, "as of knell run"),
        OPT_TEXT("grace", "T", &plan->grace, "as of knell run"),
        OPT_TEXT("ghost-delay", "T", &plan->ghost_delay, "as of knell run"),
        OPT_TEXTS("info", "KEY=VALUE", &plan->infos, "as of knell run"),
        OPT_TEXT("out", "DIR", &plan->out, "the folder of the exploration"),
        OPT_TEXT("resume", "DIR", &plan->resume, "goes on with an exploration"),
        OPT_FLAG("dry-run", &plan->dry_run, "runs without faults, then prints the plan"),
        OPT_FLAG("json", &plan->json, "write JSON instead of the text"),
        OPT_PROGRAM("PROGRAM", &plan->program, "the program, then its own arguments"),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status >= 0)
        return status;
    for (size_t i = 0; plan->resume && i < COUNT_OF(options); i++)
        if (options[i].given && !is_for_resume(options[i].name))
            return cli_usage_error(&usage, "--resume goes on as the exploration was begun: --%s cannot be changed",
                                   options[i].name);
    if (plan->dry_run && plan->json)
        return cli_usage_error(&usage, "--dry-run prints text: leave --json out");
    bool has_program = plan->program && plan->program[0] && *plan->program[0];
    if (plan->resume && has_program)
        return cli_usage_error(&usage, "--resume goes on with the program of the folder: do not name one");
    if (!plan->resume && !has_program)
        return cli_usage_error(&usage, "the program is missing: knell explore -n N PROGRAM [argument...]");
    return plan->resume ? -1 : check(plan);
}

/* The command line of the folder, with what was given now. */
static int resume(const struct explore_plan *now)
{
    struct explore_plan plan = {.usage = &usage};
    char **argv;
    int argc, status = explore_store_read_plan(now, now->resume, &argv, &argc);
    if (status >= 0)
        return status;
    plan.argc = argc, plan.argv = argv;
    status = parse(argc, argv, &plan);
    if (status < 0) {
        plan.resume = now->resume;
        plan.budget = now->budget;
        plan.max_failures = now->max_failures;
        plan.jobs = now->jobs;
        plan.json = now->json;
        status = explore_execute(&plan);
    }
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    free(argv);
    return status;
}

int explore_command(int argc, char **argv)
{
    struct explore_plan plan = {.usage = &usage, .argc = argc, .argv = argv};
    int status = parse(argc, argv, &plan);
    if (status >= 0)
        return status;
    return plan.resume ? resume(&plan) : explore_execute(&plan);
}
