/* slurm.c: inside an allocation of Slurm its own launcher, srun, starts the ranks, on the hosts of the allocation. */
#include "cli/run/run.h"

#include <stdlib.h>
#include <string.h>

bool run_slurm_may(const struct run_plan *plan)
{
    return !plan->hosts_text && !plan->hostfile && getenv("SLURM_JOB_ID") && getenv("SLURM_JOB_NODELIST");
}

/* `srun -n 4 knell run -n 4 ./app` would start four jobs of four ranks. */
static bool is_one_of_many(void)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    return tasks && atoi(tasks) > 1;
}

static int add_host(struct run_plan *plan, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    struct run_host *more = realloc(plan->host, (plan->hosts + 1) * sizeof *more);
    if (!more)
        return cli_failure(plan->usage, "no memory for the hosts");
    plan->host = more;
    plan->host[plan->hosts] = (struct run_host){0};
    snprintf(plan->host[plan->hosts++].name, sizeof plan->host->name, "%.255s", line);
    return -1;
}

/* Slurm writes lists as h[1-3,7]; its own command takes them apart. */
static int list_hosts(struct run_plan *plan)
{
    char line[512];
    int status = -1;
    FILE *names = popen("scontrol show hostnames", "re");
    while (names && status < 0 && fgets(line, sizeof line, names))
        status = add_host(plan, line);
    if (names && pclose(names) != 0)
        plan->hosts = 0;
    if (status < 0 && plan->hosts == 0)
        return cli_failure(plan->usage,
                           "this is an allocation of Slurm, but `scontrol show hostnames` does not list its hosts; "
                           "--hosts names them instead");
    return status;
}

int run_slurm_check(struct run_plan *plan)
{
    if (is_one_of_many())
        return cli_usage_error(plan->usage, "srun has started this command for each task; say `knell run -n N PROGRAM` "
                                            "without srun, or `srun ... knell exec PROGRAM`");
    plan->slurm = true;
    return list_hosts(plan);
}
