/* knell run: an MPI job that survives the death of ranks, on the MPI it is linked with; and deaths, when wanted. */
#include "cli/commands.h"
#include "cli/heartbeat.h"
#include "cli/run.h"
#include "cli/run_kill.h"

#include <stdio.h>

static const struct knell_usage usage = {
    .command = "knell run",
    .summary =
        "Starts PROGRAM as N ranks of an MPI job, on the Open MPI or MPICH it is linked with, such that the job survives "
        "the death of ranks and the program can use ULFM (MPIX_Comm_revoke, _shrink, _agree). Kills ranks when told to, "
        "and prints at the end who died and who knew when.",
    .operands = "PROGRAM [argument...]",
    .notes =
        "--kill R@T: rank R dies T after all have left MPI_Init. --kill R@MPI_Send#5: before its 5th MPI_Send.\n"
        "--mode real: deaths are SIGKILL. ghost: the process leaves the program for good and has itself declared dead.\n"
        "--kill R@MPI_*#50: before its 50th call, whichever it is.\n"
        "--fail FILE: a scenario instead; slots get the ranks in their order (docs/use/scenarios.md).\n"
        "Options end at PROGRAM, or at --. It is looked for on the PATH, then here.\n"
        "--json: one object on standard output; what the program writes there goes to standard error.\n"
        "--mttf T: examples/fail/life-exponential.fail with MTBF of T and a slot for every rank; -D KEEP=1 lets one live.\n"
        "--info mpi_error_uniform=coll: every collective returns the same code at all ranks. --info mpi_error_range=group (universe): "
        "a death in the communicator (in the job) revokes it (docs/use/mpi.md).\n" KNELL_SPREAD_NOTES
        "Messages go by TCP where deaths are real: shared memory may be left broken by a kill. Who wants its speed all the same "
        "sets OMPI_MCA_btl or UCX_TLS (docs/use/mpi.md).\n"
        "Exit status: that of the ranks that ended by MPI_Finalize: the first that is not 0, by rank. A rank that died counts "
        "only if all did; with --status all, one that died unasked makes the job fail that went on without it. The code of MPI_Abort; "
        "if an error handler ended the job, the status of the rank that died unasked, or the error's code; 124 after --timeout, 130 "
        "after ctrl-C.\n"
        "After --timeout and ctrl-C, and once when all ranks wait inside MPI and none has moved for --stuck, it says where they are.\n",
    .examples = "  knell run -n 4 ./app\n"
                "  knell run -n 8 --kill 0@1s --kill 3@1.5s ./solver --size 1000\n"
                "  knell run -n 4 --mode ghost --kill 2@MPI_Allreduce#10 ./app\n"
                "  knell run -n 8 --fail examples/fail/life-weibull.fail -D SCALE=5000 ./app\n"
                "  knell run -n 8 --mttf 20s -D KEEP=1 --seed 7 ./app\n"
                "  knell run -n 8 --info mpi_error_uniform=coll ./app\n"
                "  knell run -n 4 --json ./app >result.json\n"
                "  knell run -n 4 --dry-run ./app\n",
};

static int check(struct knell__run_plan *plan, bool mpi_given)
{
    int status = knell__heartbeat_settle(&usage, plan->eta, 5, &plan->delta);
    if (status >= 0)
        return status;
    if (plan->fail && plan->kills.n)
        return knell__cli_fail(&usage, "--fail says who fails already; give it or --kill");
    if (plan->mttf && (plan->fail || plan->kills.n))
        return knell__cli_fail(&usage, "--mttf says who fails already; give it or --%s", plan->fail ? "fail" : "kill");
    if (plan->ghost_delay && plan->mode != KNELL__RUN_GHOST)
        return knell__cli_fail(&usage, "--ghost-delay: only with --mode ghost");
    status = knell__run_info_check(plan);
    if (status < 0)
        status = knell__run_kills_check(plan);
    return status < 0 ? knell__run_find(plan, mpi_given) : status;
}

static int parse(int argc, char **argv, struct knell__run_plan *plan)
{
    static const char *const modes[] = {"real", "ghost", NULL}, *const whose[] = {"survivors", "all", NULL},
                             *const of_fail[] = {"define", "seed"};
    struct knell_option options[] = {
        KNELL_OPT_INTEGER("ranks", "N", &plan->ranks, 1, 1024, "number of ranks; also -n N, -np N", .required = true,
                          .brief = {"n", "np"}, .alias = "nodes"),
        KNELL_OPT_WORD("mpi", &plan->mpi, knell__run_mpi_names, "which MPI it is", .arg = "openmpi|mpich",
                       .fallback_help = "that of the program's libraries"),
        KNELL_OPT_WORD("mode", &plan->mode, modes, "how ranks die", .arg = "real|ghost", .fallback = "real"),
        KNELL_OPT_DURATION("eta", "T", &plan->eta, 100000, INT64_C(60000000000), "heartbeat period",
                           .fallback = "100ms"),
        KNELL_OPT_DURATION("delta", "T", &plan->delta, 200000, INT64_C(600000000000), "suspicion timeout",
                           .fallback_help = "5 eta"),
        KNELL_SPREAD_OPTIONS(&plan->overlay, &plan->latest_only),
        KNELL_OPT_DURATION("ghost-delay", "T", &plan->ghost_delay, 1000, INT64_C(600000000000),
                           "how long after its death a ghost is known"),
        KNELL_OPT_DURATION("grace", "T", &plan->grace, 1000, INT64_C(600000000000),
                           "how long a collective waits for living ranks after a death", .fallback = "20ms"),
        KNELL_OPT_TEXTS("info", "KEY=VALUE", &plan->infos, "a hint on MPI_COMM_WORLD"),
        KNELL_OPT_TEXTS("kill", "R@T|R@F#K", &plan->kills, "kill rank R at time T, or before its K-th call of F"),
        KNELL_OPT_TEXT("fail", "FILE", &plan->fail, "a FAIL scenario strikes instead"),
        KNELL_OPT_DURATION("mttf", "T", &plan->mttf, 1000000, INT64_C(31536000000000000),
                           "each rank has a random life span, of T on average"),
        KNELL_FAIL_OPTION_DEFINE(&plan->defines),
        KNELL_OPT_INTEGER("seed", "N", &plan->seed, 0, INT64_MAX, "--fail, --mttf: what the draws depend on",
                          .fallback = "1"),
        KNELL_OPT_DURATION("timeout", "T", &plan->timeout, 1000000, INT64_C(31536000000000000),
                           "ends the job after T and says who is where"),
        KNELL_OPT_DURATION("stuck", "T", &plan->stuck, 100000000, INT64_C(31536000000000000),
                           "says where the ranks are when none has moved for T", .fallback = "10s"),
        KNELL_OPT_WORD("status", &plan->status, whose, "whether ranks that died unasked make the job fail",
                       .arg = "survivors|all", .fallback = "survivors"),
        KNELL_OPT_TEXT("log", "FILE", &plan->log, "writes all that happens here, a JSON object a line"),
        KNELL_OPT_FLAG("json", &plan->json, "write JSON instead of the timeline"),
        KNELL_OPT_FLAG("quiet", &plan->quiet, "no timeline at the end"),
        KNELL_OPT_FLAG("dry-run", &plan->dry_run, "print the command for a plain mpirun, and do nothing"),
        KNELL_OPT_PROGRAM("PROGRAM", &plan->program, "the program, then its own arguments"),
    };
    int status = knell_options_parse(&usage, options, KNELL_COUNT(options), argc, argv);
    if (status < 0 && (!plan->program || !plan->program[0] || !*plan->program[0]))
        return knell__cli_fail(&usage, "the program is missing: knell run -n N PROGRAM [argument...]");
    if (status < 0 && !plan->fail && !plan->mttf)
        for (size_t i = 0; i < KNELL_COUNT(of_fail); i++)
            if (knell_options_find(options, KNELL_COUNT(options), of_fail[i])->given)
                return knell__cli_fail(&usage, "--%s: only with --fail or --mttf", of_fail[i]);
    if (status >= 0)
        return status;
    status = check(plan, knell_options_find(options, KNELL_COUNT(options), "mpi")->given);
    return status == KNELL_EXIT_OK ? -1 : status;
}

static int dry_run(const struct knell__run_plan *plan)
{
    struct knell__run_command command;
    if (!knell__run_command_make(plan, NULL, &command))
        return knell__cli_broken(&usage, "no memory for the command");
    knell__run_command_print(&command, stdout);
    knell__run_command_free(&command);
    if (knell__run_injects(plan))
        fprintf(stderr, "knell run: --kill, --fail and --mttf need `knell run` itself: this command kills nobody\n");
    return KNELL_EXIT_OK;
}

int knell__command_run(int argc, char **argv)
{
    struct knell__run_plan plan = {.usage = &usage};
    int status = parse(argc, argv, &plan);
    if (status >= 0)
        return status;
    return plan.dry_run ? dry_run(&plan) : knell__run(&plan);
}
