/* run.c: `knell run`: an MPI job that survives the death of ranks, on the MPI that the program is linked with; and
 * injected deaths, if wanted. */
#include "cli/run/launch.h"
#include "cli/run/kill.h"
#include "cli/common/calibration.h"
#include "cli/common/heartbeat.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
    .command = "knell run",
    .summary =
        "Starts PROGRAM as N ranks of an MPI job, on the Open MPI or MPICH it is linked with, such that the job survives "
        "the death of ranks and the program can use ULFM (MPIX_Comm_revoke, _shrink, _agree). Kills ranks if asked to, "
        "and prints at the end which ranks died and when the others knew.",
    .operands = "PROGRAM [argument...]",
    .notes =
        "--kill R@T: rank R dies T after all have left MPI_Init. --kill R@MPI_Send#5: before its 5th MPI_Send.\n"
        "--kill R@MPI_Allreduce#5.3: inside its 5th MPI_Allreduce, before the 3rd operation on the MPI below.\n"
        "--mode real: deaths are SIGKILL. ghost: the process leaves the program for good and has itself declared dead.\n"
        "--kill R@MPI_*#50: before its 50th call, whichever it is.\n"
        "--fail FILE: a scenario instead; slots get the ranks in the order of the text (docs/use/scenarios.md).\n"
        "Options end at PROGRAM, or at --. PROGRAM is looked up on the PATH, then in this directory.\n"
        "--json: one object on standard output; what the program writes there goes to standard error.\n"
        "--mttf T: examples/fail/life-exponential.fail with MTBF of T and a slot for every rank; -D KEEP=1 lets one survive.\n"
        "--info mpi_error_uniform=coll: every collective returns the same code at all ranks. --info mpi_error_range=group (universe): "
        "a death in the communicator (in the job) revokes it (docs/use/mpi.md).\n" HEARTBEAT_BROADCAST_NOTES
        "--on-split end: ranks that find others silent go on only if they are more than those, or as many and the lowest rank is "
        "among them; else they end with status 114. go-on: both sides go on (docs/use/hosts.md).\n"
        "--carrier on: messages within a host go through shared memory of Knell's own; off: through the MPI; pieces: no rank reads "
        "the memory of another. Between hosts messages go by TCP where deaths are real; OMPI_MCA_btl and UCX_TLS override "
        "that (docs/use/mpi.md).\n"
        "Exit status: that of the ranks that ended by MPI_Finalize: the first that is not 0, by rank. A rank that died counts "
        "only if all did; with --status all, a death that was not injected makes the job fail "
        "although the others went on. The code of MPI_Abort; "
        "if an error handler ended the job, the status of the rank whose death was not injected, or "
        "the error's code; if the program ignored a death, the same or 1; 124 after --timeout, 130 "
        "after ctrl-C.\n"
        "After --timeout and ctrl-C, and once when all ranks have waited inside MPI for --stuck, it says where they are.\n"
        "--record DIR: run.json (as --json), events.jsonl (as --log), output, rank-N.log; DIR must be new or empty. --check CMD "
        "reads the output on its standard input; KNELL_RUN_DIR and KNELL_DEAD have the folder and the dead. A wrong result is "
        "exit status 1 (docs/use/debugging.md).\n",
    .examples = "  knell run -n 4 ./app\n"
                "  knell run -n 8 --kill 0@1s --kill 3@1.5s ./solver --size 1000\n"
                "  knell run -n 4 --mode ghost --kill 2@MPI_Allreduce#10 ./app\n"
                "  knell run -n 8 --fail examples/fail/life-weibull.fail -D SCALE=5000 ./app\n"
                "  knell run -n 8 --mttf 20s -D KEEP=1 --seed 7 ./app\n"
                "  knell run -n 8 --info mpi_error_uniform=coll ./app\n"
                "  knell run -n 16 --hosts node1:8,node2:8 ./app\n"
                "  knell run -n 4 --json ./app >result.json\n"
                "  knell run -n 4 --record one --kill 2@1s --check 'grep -q right' ./app\n"
                "  knell run -n 4 --dry-run ./app\n",
};

static int check_regex(const char *option, const char *text)
{
    char why[128];
    regex_t regex;
    int code = text ? regcomp(&regex, text, REG_EXTENDED | REG_NOSUB) : REG_NOMATCH;
    if (code == 0)
        regfree(&regex);
    if (code == 0 || !text)
        return -1;
    regerror(code, &regex, why, sizeof why);
    return cli_usage_error(&usage, "--%s %.80s: %s", option, text, why);
}

/* As measured, unless an option says otherwise. */
static int take_calibration(struct run_plan *plan, bool eta_given)
{
    struct calibration measured;
    int status = calibration_read(&usage, plan->calibration, &measured);
    if (status >= 0)
        return status;
    if (plan->delta == 0 && !eta_given)
        plan->delta = (int64_t)(measured.delta_s * 1e9);
    if (!eta_given)
        plan->eta = (int64_t)(measured.eta_s * 1e9);
    return -1;
}

static int check(struct run_plan *plan, bool mpi_given, bool eta_given)
{
    int status = plan->calibration ? take_calibration(plan, eta_given) : -1;
    if (status < 0)
        status = heartbeat_settle(&usage, plan->eta, 5, &plan->delta);
    if (status >= 0)
        return status;
    if (plan->fail && plan->kills.n)
        return cli_usage_error(&usage, "--fail already says which ranks fail; give it or --kill");
    if (plan->mttf && (plan->fail || plan->kills.n))
        return cli_usage_error(&usage, "--mttf already says which ranks fail; give it or --%s",
                               plan->fail ? "fail" : "kill");
    if (plan->ghost_delay && plan->mode != RUN_MODE_GHOST)
        return cli_usage_error(&usage, "--ghost-delay: only with --mode ghost");
    if (plan->stacks)
        plan->calls = true;
    if (plan->calls && !plan->record)
        return cli_usage_error(&usage, "--%s: only with --record", plan->stacks ? "stacks" : "calls");
    status = run_info_check(plan);
    if (status < 0)
        status = check_regex("expect", plan->expect);
    if (status < 0)
        status = check_regex("progress", plan->progress);
    if (status < 0)
        status = run_kills_check(plan);
    if (status < 0)
        status = run_hosts_check(plan);
    if (status < 0)
        status = run_find(plan, mpi_given);
    if (status == EXIT_OK)
        status = run_agent_check(plan);
    return status < 0 ? EXIT_OK : status;
}

static int parse(int argc, char **argv, struct run_plan *plan)
{
    static const char *const modes[] = {"real", "ghost", NULL}, *const whose[] = {"survivors", "all", NULL},
                             *const of_fail[] = {"define", "seed"}, *const on_stuck[] = {"say", "end", NULL},
                             *const on_ignored[] = {"end", "go-on", NULL},
                             *const carrier[] = {"on", "off", "pieces", NULL};
    struct option options[] = {
        OPT_INTEGER("ranks", "N", &plan->ranks, 1, 1024, "number of ranks; also -n N, -np N", .required = true,
                    .brief = {"n", "np"}, .alias = "nodes"),
        OPT_WORD("mpi", &plan->mpi, program_mpi_names, "the MPI of the program", .arg = "openmpi|mpich",
                 .fallback_help = "by the program's libraries"),
        OPT_TEXT("hosts", "H,H:RANKS", &plan->hosts_text, "where the ranks run",
                 .fallback_help = "on this host; inside Slurm on the nodes of the allocation"),
        OPT_TEXT("hostfile", "FILE", &plan->hostfile,
                 "the same in a file, one host a line: NAME, NAME:RANKS, NAME slots=RANKS"),
        OPT_TEXT("interface", "NAME", &plan->interface, "--hosts: the network interface to use",
                 .fallback_help = "that of the way to the first of them"),
        OPT_TEXT("rsh", "CMD", &plan->rsh, "--hosts: starts a command on a host, as `CMD HOST COMMAND...`",
                 .fallback = "ssh"),
        OPT_WORD("mode", &plan->mode, modes, "how ranks die", .arg = "real|ghost", .fallback = "real"),
        OPT_DURATION("eta", "T", &plan->eta, 100000, INT64_C(60000000000), "heartbeat period", .fallback = "100ms"),
        OPT_DURATION("delta", "T", &plan->delta, 200000, INT64_C(600000000000), "suspicion timeout",
                     .fallback_help = "5 eta"),
        OPT_TEXT("calibration", "FILE", &plan->calibration, "eta and delta as `knell calibrate --out` proposes them"),
        HEARTBEAT_BROADCAST_OPTIONS(&plan->overlay, &plan->latest_only),
        OPT_WORD("on-split", &plan->on_split, heartbeat_split_names, "the smaller side of a network that splits",
                 .arg = "end|go-on", .fallback = "end"),
        OPT_DURATION("ghost-delay", "T", &plan->ghost_delay, 1000, INT64_C(600000000000),
                     "how long after its death a ghost is declared dead"),
        OPT_DURATION("grace", "T", &plan->grace, 1000, INT64_C(600000000000),
                     "how long a collective waits for living ranks after a death", .fallback = "20ms"),
        OPT_WORD("carrier", &plan->carrier, carrier, "messages within a host by shared memory that survives a kill",
                 .arg = "on|off|pieces", .fallback = "on"),
        OPT_TEXTS("info", "KEY=VALUE", &plan->infos, "a hint on MPI_COMM_WORLD"),
        OPT_TEXTS("kill", "R@T|R@F#K|R@F#K.J", &plan->kills,
                  "kill rank R at time T, before its K-th call of F, or inside of it"),
        OPT_TEXT("fail", "FILE", &plan->fail, "a FAIL scenario injects faults instead"),
        OPT_DURATION("mttf", "T", &plan->mttf, 1000000, INT64_C(31536000000000000),
                     "each rank has a random life span, of T on average"),
        SCENARIO_OPTION_DEFINE(&plan->defines),
        OPT_INTEGER("seed", "N", &plan->seed, 0, INT64_MAX, "--fail, --mttf: seed of the random draws",
                    .fallback = "1"),
        OPT_DURATION("timeout", "T", &plan->timeout, 1000000, INT64_C(31536000000000000),
                     "ends the job after T and says where the ranks are"),
        OPT_DURATION("stuck", "T", &plan->stuck, 100000000, INT64_C(31536000000000000),
                     "says where the ranks are when none makes progress for T", .fallback = "10s"),
        OPT_WORD("on-stuck", &plan->on_stuck, on_stuck, "what to do then: say so, or end the job with status 124",
                 .arg = "say|end", .fallback = "say"),
        OPT_WORD("on-ignored", &plan->on_ignored, on_ignored,
                 "a rank died, and the program goes on as if none had: end the job, or let it go on",
                 .arg = "end|go-on", .fallback = "end"),
        OPT_TEXT("progress", "REGEX", &plan->progress, "lines of output that are progress, for --stuck"),
        OPT_TEXT("record", "DIR", &plan->record, "keeps the run there: result, events, output"),
        OPT_FLAG("calls", &plan->calls, "--record: the MPI calls of each rank too"),
        OPT_FLAG("stacks", &plan->stacks, "--calls with the call stacks"),
        OPT_TEXT("check", "CMD", &plan->check, "judges the output: status 0 of sh -c CMD means right"),
        OPT_TEXT("expect", "REGEX", &plan->expect, "a line of the output must match"),
        OPT_WORD("status", &plan->status, whose, "whether deaths that were not injected make the job fail",
                 .arg = "survivors|all", .fallback = "survivors"),
        OPT_TEXT("status-file", "FILE", &plan->status_file, "writes the job's status here, even if this host is lost"),
        OPT_TEXT("log", "FILE", &plan->log, "writes all events here, one JSON object per line"),
        OPT_FLAG("json", &plan->json, "write JSON instead of the timeline"),
        OPT_FLAG("quiet", &plan->quiet, "no timeline at the end"),
        OPT_FLAG("verbose", &plan->verbose, "ranks say why something is slower than it could be"),
        OPT_FLAG("dry-run", &plan->dry_run, "print the command for a plain mpirun, and do nothing"),
        OPT_PROGRAM("PROGRAM", &plan->program, "the program, then its own arguments"),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status < 0 && (!plan->program || !plan->program[0] || !*plan->program[0]))
        return cli_usage_error(&usage, "the program is missing: knell run -n N PROGRAM [argument...]");
    if (status < 0 && !plan->fail && !plan->mttf)
        for (size_t i = 0; i < COUNT_OF(of_fail); i++)
            if (options_find(options, COUNT_OF(options), of_fail[i])->given)
                return cli_usage_error(&usage, "--%s: only with --fail or --mttf", of_fail[i]);
    if (status >= 0)
        return status;
    plan->rsh_given = options_find(options, COUNT_OF(options), "rsh")->given;
    status = check(plan, options_find(options, COUNT_OF(options), "mpi")->given,
                   options_find(options, COUNT_OF(options), "eta")->given);
    return status == EXIT_OK ? -1 : status;
}

static int dry_run(const struct run_plan *plan)
{
    struct run_launch command;
    if (!run_launch_make(plan, NULL, &command))
        return cli_failure(&usage, "no memory for the command");
    run_launch_print(&command, stdout);
    run_launch_free(&command);
    if (run_injects(plan))
        fprintf(stderr, "knell run: --kill, --fail and --mttf need `knell run` itself: this command kills nobody\n");
    return EXIT_OK;
}

int run_command(int argc, char **argv)
{
    struct run_plan plan = {.usage = &usage, .words = calloc((size_t)argc + 2, sizeof *plan.words)};
    static char knell[] = "knell";
    if (!plan.words)
        return cli_failure(&usage, "no memory for the command");
    plan.words[0] = knell;
    memcpy(plan.words + 1, argv, (size_t)argc * sizeof *argv);
    int status = parse(argc, argv, &plan);
    if (status < 0)
        status = plan.dry_run ? dry_run(&plan) : run_execute(&plan);
    free(plan.words);
    free(plan.host);
    free(plan.agent_slot);
    return status;
}
