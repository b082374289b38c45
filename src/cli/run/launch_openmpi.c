/* launch_openmpi.c: Open MPI's settings, and mpirun. */
#include "cli/run/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* A setting of Open MPI: srun has no options for them. */
static void option(const struct run_plan *plan, struct run_launch *command, const char *name, const char *value)
{
    char variable[128];
    const char *const words[] = {"--mca", name, value, NULL};
    snprintf(variable, sizeof variable, "OMPI_MCA_%s", name);
    if (plan->slurm)
        run_launch_give_unless_set(plan, command, variable, value);
    else
        run_launch_add_all(command, words);
}

/* Many builds of Open MPI do not know IPv6, and then no prefix of it: they take the interface's other address. */
static const char *network_for_openmpi(const struct run_plan *plan)
{
    return strchr(plan->network, ':') ? plan->device : plan->network;
}

/* Every daemon talks to mpirun itself: with a tree between them a lost host takes those behind it along. Connections are made at once:
 * one that is made after a death may need the lost host. */
static void to_hosts_openmpi(const struct run_plan *plan, struct run_launch *command)
{
    option(plan, command, "mpi_preconnect_mpi", "1");
    option(plan, command, "btl_tcp_if_include", network_for_openmpi(plan));
    if (plan->slurm)
        return;
    run_launch_add_hosts(plan, "--host", command);
    option(plan, command, "plm_rsh_agent", plan->rsh);
    option(plan, command, "plm_rsh_no_tree_spawn", "1");
    option(plan, command, "routed", "direct");
    option(plan, command, "oob_tcp_if_include", network_for_openmpi(plan));
}

/* Of a host or a shell, not of the program; or of the launcher. */
static bool is_local(const char *name, size_t length)
{
    static const char *const names[] = {"PWD", "OLDPWD", "SHLVL", "_", "HOSTNAME", "TMPDIR", "KNELL_KEY"};
    bool local = strncmp(name, "OMPI_", 5) == 0 || strncmp(name, "PMIX_", 5) == 0;
    for (size_t i = 0; i < COUNT_OF(names) && !local; i++)
        local = strlen(names[i]) == length && strncmp(names[i], name, length) == 0;
    return local;
}

/* As on one host, and as MPICH's launcher does: ranks have the environment of this command. mpirun passes on what is named. */
static void pass_environment(struct run_launch *command)
{
    for (char **at = environ; *at; at++) {
        size_t length = strcspn(*at, "=");
        char name[256];
        if (length >= sizeof name || strspn(*at, NAME_LETTERS) != length || is_local(*at, length))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length, *at);
        run_launch_add(command, "-x");
        run_launch_add(command, name);
    }
}

static void by_mpirun(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command)
{
    static const char *const words[] = {"--oversubscribe", "--enable-recovery", NULL};
    run_launch_add_all(command, words);
    if (geteuid() == 0)
        run_launch_add(command, "--allow-run-as-root");
    option(plan, command, "orte_abort_on_non_zero_status", "0");
    option(plan, command, "orte_allowed_exit_without_sync", "1");
    /* After MPI_Abort it would wait a second for ranks that have ended. */
    option(plan, command, "odls_base_sigkill_timeout", "0");
    if (job && !plan->address[0])
        option(plan, command, "orte_tmpdir_base", job->directory);
    if (job) {
        run_launch_add(command, "-x"); /* by its name: anybody may read arguments */
        run_launch_add(command, "KNELL_KEY");
    }
    if (plan->address[0])
        pass_environment(command);
}

/* Shared memory is faster than TCP, but a rank that is killed while it writes there may leave it corrupt
 * (docs/design/mpi.md). A ghost is not killed. */
void run_launch_openmpi(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command)
{
    if (!plan->slurm)
        by_mpirun(plan, job, command);
    option(plan, command, "pml", "ob1");
    if (!getenv("OMPI_MCA_btl")) /* the user's own setting wins */
        option(plan, command, "btl", plan->mode == RUN_MODE_GHOST ? "vader,tcp,self" : "tcp,self");
    if (plan->address[0])
        to_hosts_openmpi(plan, command);
    else if (job)
        option(plan, command, "btl_vader_backing_directory", job->directory);
}
