/* mpirun.c: `knell mpirun`: for scripts and habits that say mpirun or mpiexec. It becomes `knell run`. */
#include "cli/mpirun/mpirun.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct usage usage = {
    .command = "knell mpirun",
    .summary =
        "Takes the usual options of Open MPI's mpirun and MPICH's mpiexec and starts `knell run` accordingly, so that "
        "in a script only the word mpirun has to be replaced.",
    .operands = "PROGRAM [argument...]",
    .notes =
        "With one dash or two. Without -n there are as many ranks as processors.\n"
        "Accepted without effect, since `knell run` does it anyway: --oversubscribe, --allow-run-as-root, "
        "--enable-recovery, -genvall, -ppn, -N, --host localhost.\n"
        "--mca and the options of binding and output are passed on as variables of the environment; pml stays ob1, the one "
        "that survives deaths.\n"
        "--version is answered by the MPI's own launcher.\n"
        "Refused: several programs (':'), files for the output.\n"
        "Also some options of `knell run`: --mpi, --mode, --kill, --fail, --mttf, --seed, --info, --record, --log, --status, "
        "--status-file, --json, --quiet, --dry-run.\n"
        "Exit status: that of `knell run`.\n",
    .examples = "  knell mpirun -np 4 --oversubscribe ./app\n"
                "  knell mpirun --with-ft ulfm -n 8 -x OMP_NUM_THREADS=1 ./solver --size 1000\n"
                "  knell mpirun -n 4 -genv DEBUG 1 -wdir /tmp ./app\n"
                "  knell mpirun -n 4 --kill 1@1s ./app\n"
                "  knell mpirun -n 16 --host node1:8,node2:8 ./app\n",
};

/* The help, the complaints about a missing word, and what shells complete; words.c reads the words. */
static int explain(int argc, char **argv)
{
    const char *text[16];
    bool flag[2];
    char **program = NULL;
    struct option options[] = {
        OPT_TEXT("n", "N", &text[0], "number of ranks; also -np, -c", .brief = {"n", "np"},
                 .fallback_help = "one for each processor"),
        OPT_TEXT("with-ft", "ulfm|mpi", &text[1], "as of Open MPI 5: fault tolerance, which is always on here"),
        OPT_TEXT("x", "VAR[=VALUE]", &text[2], "a variable of the environment for the ranks", .brief = {"x"}),
        OPT_TEXT("genv", "VAR VALUE", &text[3], "the same for MPICH; also -env"),
        OPT_TEXT("mca", "KEY VALUE", &text[4], "a parameter of Open MPI"),
        OPT_TEXT("wdir", "DIR", &text[5], "where the ranks start; also --wd"),
        OPT_TEXT("bind-to", "WHAT", &text[6], "binding of ranks to processors: core, none, ..."),
        OPT_TEXT("map-by", "WHAT", &text[7], "mapping of ranks; also --rank-by for Open MPI"),
        OPT_FLAG("tag-output", &flag[0], "Open MPI: each line with its rank; also --timestamp-output"),
        OPT_TEXT("timeout", "SECONDS", &text[8], "ends the job after that time and says where the ranks are"),
        OPT_TEXT("host", "H,H:RANKS", &text[9], "where the ranks run; also -H, -hosts",
                 .fallback_help = "on this host"),
        OPT_TEXT("hostfile", "FILE", &text[10], "the same in a file; also --machinefile, -f"),
        OPT_TEXT("launcher-exec", "CMD", &text[11], "starts commands on hosts; also --mca plm_rsh_agent",
                 .fallback_help = "ssh"),
        OPT_TEXT("iface", "NAME", &text[12], "the network interface between hosts"),
        OPT_FLAG("oversubscribe", &flag[1], "accepted: more ranks than processors"),
        OPT_PROGRAM("PROGRAM", &program, "the program, then its own arguments"),
    };
    return options_parse(&usage, options, COUNT_OF(options), argc, argv);
}

/* Does not return, unless it fails. */
static int become_run(const struct mpirun_plan *plan, size_t arguments)
{
    char ranks[24], **word = calloc(plan->words + arguments + 8, sizeof *word);
    size_t words = 0;
    if (!word)
        return cli_failure(&usage, "no memory for the command");
    snprintf(ranks, sizeof ranks, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    word[words++] = "knell";
    word[words++] = "run";
    word[words++] = "-n";
    word[words++] = plan->ranks ? (char *)plan->ranks : ranks;
    memcpy(word + words, plan->word, plan->words * sizeof *word);
    words += plan->words;
    word[words++] = "--";
    memcpy(word + words, plan->program, arguments * sizeof *word);
    execv("/proc/self/exe", word);
    int why = errno;
    free(word);
    return cli_failure(&usage, "cannot start knell run: %s", strerror(why));
}

/* Scripts that configure a program ask which MPI there is: its own launcher answers. The first `mpirun` of the PATH may be a script that
 * calls this one. Does not return, unless it fails. */
static int become_launcher(const char *mpi)
{
    const char *const usual[] = {"mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.mpich", NULL};
    const char *const openmpi[] = {"mpirun.openmpi", "mpirun", NULL}, *const mpich[] = {"mpiexec.mpich", "mpiexec",
                                                                                        NULL};
    const char *const *name = !mpi ? usual : strcmp(mpi, "mpich") == 0 ? mpich : openmpi;
    bool again = getenv("KNELL_MPIRUN_VERSION") != NULL;
    setenv("KNELL_MPIRUN_VERSION", "1", 1);
    for (; *name; name++)
        if (!again || strchr(*name, '.'))
            execlp(*name, *name, "--version", (char *)NULL);
    return cli_failure(&usage, "--version: there is no mpirun to ask: %s", strerror(errno));
}

int mpirun_command(int argc, char **argv)
{
    static char help[] = "--help";
    char *for_help[] = {argv[0], help, NULL};
    if (argc == 1)
        return explain(argc, argv) == EXIT_OK
                   ? EXIT_OK
                   : cli_usage_error(&usage, "the program is missing: knell mpirun -n N PROGRAM [argument...]");
    struct mpirun_plan plan = {.usage = &usage, .word = calloc(3 * (size_t)argc + 1, sizeof *plan.word)};
    if (!plan.word)
        return cli_failure(&usage, "no memory for the command");
    int status = mpirun_read(&plan, argv + 1);
    if (status < 0 && plan.version)
        status = become_launcher(plan.mpi);
    else if (status < 0)
        status = plan.help ? explain(2, for_help) : become_run(&plan, (size_t)(argv + argc - plan.program));
    free(plan.word);
    return status;
}
