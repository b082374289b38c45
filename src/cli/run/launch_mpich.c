/* launch_mpich.c: MPICH's settings, which are those of UCX, and mpiexec. */
#include "cli/run/launch.h"

static void to_hosts_mpich(const struct run_plan *plan, struct run_launch *command)
{
    run_launch_give_unless_set(plan, command, "UCX_NET_DEVICES", plan->device);
    if (plan->slurm)
        return;
    run_launch_add_hosts(plan, "-hosts", command);
    run_launch_add(command, "-launcher-exec");
    run_launch_add(command, plan->rsh);
    run_launch_add(command, "-iface");
    run_launch_add(command, plan->device);
}

/* Small messages go by TCP; the sender writes large ones into the receiver's memory. docs/design/mpi.md says what a death
 * does to other ranks over other transports. */
void run_launch_mpich(const struct run_plan *plan, const struct run_launch_job *job, struct run_launch *command)
{
    if (!plan->slurm)
        run_launch_add(command, "-disable-auto-cleanup");
    run_launch_give_unless_set(plan, command, "UCX_TLS", "tcp,cma,self");
    run_launch_give_unless_set(plan, command, "UCX_RNDV_SCHEME", "put_zcopy");
    run_launch_give_unless_set(plan, command, "UCX_MAX_RNDV_RAILS", "1");
    if (plan->address[0])
        to_hosts_mpich(plan, command);
    else if (job)
        run_launch_give(plan, command, "UCX_POSIX_DIR", job->directory);
}
