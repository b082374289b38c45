/* exec.c: see exec.h. Finds the layer for the program's MPI, then becomes the supervisor (src/exec). */
#include "cli/exec/exec.h"
#include "cli/common/installed.h"
#include "cli/common/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct usage usage = {
    .command = "knell exec",
    .summary = "Starts a program as a rank under the layer, with a supervisor that waits for it. For launcher lines of "
               "your own: put it before the program. `knell run` does this by itself.",
    .operands = "PROGRAM [argument...]",
    .notes = "The launcher must go on after a death; docs/use/hosts.md says with which options, and why. `knell run "
             "--dry-run` prints such a line.\n"
             "Exit status: that of the program; 0 if a signal ended it: its death is for the other ranks to handle.\n",
    .examples = "  mpirun.openmpi --enable-recovery --mca pml ob1 --mca btl tcp,self -n 4 \\\n"
                "    knell exec ./app\n"
                "  UCX_TLS=tcp,cma,self mpiexec.mpich -disable-auto-cleanup -n 4 \\\n"
                "    knell exec ./app --size 100\n",
};

/* By the launcher's word; else by the program's libraries. What a script starts is unknown. */
static int find_mpi(const char *program)
{
    char path[PATH_MAX];
    if (getenv("OMPI_COMM_WORLD_SIZE"))
        return PROGRAM_OPENMPI;
    int found = program_on_path(program, path) ? program_mpi(path) : PROGRAM_MPIS;
    return found == PROGRAM_MPIS && getenv("PMI_RANK") ? PROGRAM_MPICH : found;
}

static int prepare(char **program, int mpi, char supervisor[PATH_MAX])
{
    char layer[PATH_MAX], list[2 * PATH_MAX];
    if (mpi == PROGRAM_MPIS)
        mpi = find_mpi(program[0]);
    if (mpi == PROGRAM_MPIS)
        return cli_usage_error(&usage, "%.200s: its MPI is not known; say which: --mpi openmpi or --mpi mpich",
                               program[0]);
    int status = installed_layer(&usage, mpi, layer);
    if (status != EXIT_OK)
        return status;
    installed_preload(layer, list);
    setenv("KNELL_PRELOAD", list, 1);
    unsetenv("LD_PRELOAD"); /* for the rank, not for its supervisor */
    return installed_supervisor(&usage, supervisor);
}

int exec_command(int argc, char **argv)
{
    int mpi = PROGRAM_MPIS;
    char **program = NULL, supervisor[PATH_MAX];
    struct option options[] = {
        OPT_WORD("mpi", &mpi, program_mpi_names, "the MPI of the program", .arg = "openmpi|mpich",
                 .fallback_help = "by the launcher or the program's libraries"),
        OPT_PROGRAM("PROGRAM", &program, "the program, then its own arguments"),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status >= 0)
        return status;
    if (!program || !program[0] || !*program[0])
        return cli_usage_error(&usage, "the program is missing: knell exec PROGRAM [argument...]");
    status = prepare(program, mpi, supervisor);
    if (status != EXIT_OK)
        return status;
    program[-1] = supervisor; /* the word before it: an option, --, or the command's own name */
    execv(supervisor, program - 1);
    return cli_failure(&usage, "%.200s: %s", supervisor, strerror(errno));
}
