/* agent.c: see agent.h. */
#include "cli/agent/agent.h"
#include "cli/agent/job.h"

#include <stdlib.h>

static const struct usage usage = {
    .command = "knell agent",
    .summary =
        "Runs a FAIL scenario on real processes, at any function: breakpoints, variables, stops, deaths. The programs need "
        "no MPI, no library and no change; no root is needed.",
    .operands = "[PROGRAM [argument...]]",
    .notes =
        "PROGRAM may be a script or a launcher: what it starts is followed, and a process that executes the `program` of a place "
        "comes to a slot there. Without PROGRAM the agent starts the `program` of every slot itself, by sh, with KNELL_SLOT "
        "as the number of the slot; with --listen it starts nothing, and waits for processes until it is ended.\n"
        "With --hosts there is an agent on each host, which starts the programs of the slots that are there: by `hosts` of their "
        "place, else in equal shares. Knell must be there under the same path.\n"
        "Rules that fire are written to standard error, or to --log.\n"
        "Exit status: that of PROGRAM, or the first that is not 0 of the programs that the scenario did not halt; 128 and the "
        "signal if one ended it; 124 after --timeout; 130 after ctrl-C.\n",
    .examples = "  knell agent --fail examples/fail/hold-at-function.fail ./server --port 80\n"
                "  knell agent --fail kill.fail -D X=3 --log run.log mpirun -n 4 ./app\n"
                "  knell agent --fail servers.fail --hosts node1,node2,node3\n",
};

static int parse(int argc, char **argv, struct job *job)
{
    struct option options[] = {
        OPT_TEXT("fail", "FILE", &job->fail, "the scenario"),
        SCENARIO_OPTION_DEFINE(&job->defines),
        OPT_INTEGER("seed", "N", &job->seed, 0, INT64_MAX, "seed of the random draws", .fallback = "1"),
        OPT_DURATION("timeout", "T", &job->timeout, 1000000, INT64_C(31536000000000000), "ends everything after T"),
        OPT_TEXT("hosts", "H,H:SLOTS", &job->hosts,
                 "an agent on each of these hosts; they start the programs of their slots",
                 .fallback_help = "this host alone"),
        OPT_TEXT("rsh", "CMD", &job->rsh, "--hosts: starts a command on a host, as `CMD HOST COMMAND...`",
                 .fallback = "ssh"),
        OPT_INTEGER("join", "N", &job->join, 0, INT32_MAX,
                    "is agent N of a scenario over several hosts: KNELL_RUN and KNELL_KEY say whose; `knell run` and "
                    "`knell agent --hosts` start it so",
                    .fallback_help = "none"),
        OPT_FLAG("listen", &job->listen, "takes processes of `knell attach`, knell_register() and `knell exec`"),
        OPT_TEXT("log", "FILE", &job->log, "writes every event of the scenario here"),
        OPT_FLAG("json", &job->json, "the log as JSON, one object per line"),
        OPT_FLAG("quiet", &job->quiet, "writes nothing about rules to standard error"),
        OPT_PROGRAM("PROGRAM", &job->program, "the program, then its own arguments"),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status < 0 && job->json && !job->log)
        return cli_usage_error(&usage, "--json: only with --log");
    if (status < 0 && job->hosts && job->program && job->program[0])
        return cli_usage_error(&usage,
                               "--hosts: the agents start the `program` of their slots; PROGRAM is for one host");
    if (status < 0 && !job->fail && job->join < 0)
        return cli_usage_error(&usage, "--fail is missing; `knell agent --help` explains it");
    return status;
}

int agent_command(int argc, char **argv)
{
    struct job job = {.usage = &usage, .door = -1, .join = -1};
    int status = parse(argc, argv, &job);
    if (job.program && !job.program[0])
        job.program = NULL;
    if (status >= 0)
        return status;
    return job.join >= 0 ? join_run(&job) : job.hosts ? lead_run(&job) : job_run(&job);
}
