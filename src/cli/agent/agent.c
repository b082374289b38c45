/* agent.c: see agent.h. */
#include "cli/agent/agent.h"
#include "cli/agent/job.h"

#include <stdlib.h>

static const struct usage usage = {
    .command = "knell agent",
    .summary =
        "Runs a FAIL scenario on real processes of this host, at any function: breakpoints, variables, stops, deaths. The "
        "programs need no MPI, no library and no change; no root is needed.",
    .operands = "[PROGRAM [argument...]]",
    .notes =
        "PROGRAM may be a script or a launcher: what it starts is followed, and a process that executes the `program` of a place "
        "comes to a slot there. Without PROGRAM the agent starts the `program` of every slot itself, by sh, with KNELL_SLOT "
        "as the number of the slot; with --listen it starts nothing, and waits for processes until it is ended.\n"
        "Rules that fire are written to standard error, or to --log.\n"
        "Exit status: that of PROGRAM, or the first that is not 0 of the programs that the scenario did not halt; 128 and the "
        "signal if one ended it; 124 after --timeout; 130 after ctrl-C.\n",
    .examples = "  knell agent --fail examples/fail/hold-at-function.fail ./server --port 80\n"
                "  knell agent --fail kill.fail -D X=3 --log run.log mpirun -n 4 ./app\n",
};

static int parse(int argc, char **argv, struct job *job)
{
    struct option options[] = {
        OPT_TEXT("fail", "FILE", &job->fail, "the scenario", .required = true),
        SCENARIO_OPTION_DEFINE(&job->defines),
        OPT_INTEGER("seed", "N", &job->seed, 0, INT64_MAX, "seed of the random draws", .fallback = "1"),
        OPT_DURATION("timeout", "T", &job->timeout, 1000000, INT64_C(31536000000000000), "ends everything after T"),
        OPT_FLAG("listen", &job->listen, "takes processes of `knell attach`, knell_register() and `knell exec`"),
        OPT_TEXT("log", "FILE", &job->log, "writes every event of the scenario here"),
        OPT_FLAG("json", &job->json, "the log as JSON, one object per line"),
        OPT_FLAG("quiet", &job->quiet, "writes nothing about rules to standard error"),
        OPT_PROGRAM("PROGRAM", &job->program, "the program, then its own arguments"),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status < 0 && job->json && !job->log)
        return cli_usage_error(&usage, "--json: only with --log");
    return status;
}

int agent_command(int argc, char **argv)
{
    struct job job = {.usage = &usage, .door = -1};
    int status = parse(argc, argv, &job);
    if (job.program && !job.program[0])
        job.program = NULL;
    return status >= 0 ? status : job_run(&job);
}
