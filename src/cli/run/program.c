/* program.c: finds the program, its MPI, the launcher and the layer. All are found before anything starts: a
 * launcher may hang if the program does not exist. */
#include "cli/run/run.h"
#include "cli/common/installed.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the program ------------------------------------------------------------------------------------------------- */

static const char *why_no_program(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0)
        return errno == ENOENT ? "no such program" : strerror(errno);
    if (S_ISDIR(s.st_mode))
        return "is a directory; name the program in it";
    return "is not executable; if it is a program: chmod +x";
}

static int find_program(struct run_plan *plan)
{
    const char *name = plan->program[0];
    if (program_on_path(name, plan->path))
        return EXIT_OK;
    if (!strchr(name, '/') && program_is(name) && snprintf(plan->path, PATH_MAX, "./%s", name) < PATH_MAX)
        return EXIT_OK; /* as mpirun does, and unlike the shell */
    if (!strchr(name, '/') && access(name, F_OK) != 0)
        return cli_usage_error(
            plan->usage,
            "%.200s: no such program here or on the PATH; one elsewhere needs its directory, as in ../%.200s", name,
            name);
    return cli_usage_error(plan->usage, "%.200s: %s", name, why_no_program(name));
}

/* ---- its MPI ----------------------------------------------------------------------------------------------------- */

/* The MPI of a program that a script starts is unknown: there --mpi decides. */
static int find_mpi(struct run_plan *plan, bool mpi_given)
{
    int found = program_mpi(plan->path), wanted = plan->mpi;
    if (!mpi_given)
        plan->mpi = found;
    if (mpi_given && found != PROGRAM_MPIS && found != wanted)
        return cli_usage_error(
            plan->usage, "--mpi %s: %.200s is linked with %s; leave --mpi away, or compile it with mpicc.%s",
            program_mpi_names[wanted], plan->program[0], program_mpi_names[found], program_mpi_names[wanted]);
    return plan->mpi != PROGRAM_MPIS
               ? EXIT_OK
               : cli_usage_error(plan->usage,
                                 "%.200s: is linked with no MPI (by ldd); if it starts a program that is, say "
                                 "which: --mpi openmpi or --mpi mpich",
                                 plan->program[0]);
}

/* ---- the launcher ----------------------------------------------------------------------------------------------- */

static int find_launcher(struct run_plan *plan)
{
    static const char *const names[] = {"mpirun.openmpi", "mpiexec.mpich"}, *const packages[] = {"openmpi-bin",
                                                                                                 "mpich"};
    assert(plan->mpi < PROGRAM_MPIS);
    if (plan->slurm)
        return program_on_path("srun", plan->launcher)
                   ? EXIT_OK
                   : cli_failure(plan->usage, "srun: not found on the PATH, though this is an allocation of Slurm");
    return program_on_path(names[plan->mpi], plan->launcher)
               ? EXIT_OK
               : cli_failure(plan->usage, "%s: not found on the PATH; it comes with the Debian package %s",
                             names[plan->mpi], packages[plan->mpi]);
}

int run_find(struct run_plan *plan, bool mpi_given)
{
    int status = find_program(plan);
    if (status == EXIT_OK)
        status = find_mpi(plan, mpi_given);
    if (status == EXIT_OK)
        status = find_launcher(plan);
    if (status == EXIT_OK)
        status = installed_layer(plan->usage, plan->mpi, plan->layer);
    return status == EXIT_OK ? installed_supervisor(plan->usage, plan->supervisor) : status;
}
