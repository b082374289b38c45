/* slurm.c: inside an allocation of Slurm its own launcher, srun, starts the ranks, on the hosts of the allocation. When Slurm gives a host
 * up, its controller tells srun, and srun says so on standard error. */
#include "cli/run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define NODE_FAILURE "srun: error: Node failure on "

/* ---- the hosts --------------------------------------------------------------------------------------------------- */

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

/* Slurm writes lists as h[1-3,7]; its own command takes them apart. */
static int list_hosts(struct run_plan *plan)
{
    char line[512];
    int status = -1;
    FILE *names = popen("scontrol show hostnames", "re");
    while (names && status < 0 && fgets(line, sizeof line, names))
        if (!run_hosts_add(plan, line, strcspn(line, "\n"), 0))
            status = cli_failure(plan->usage, "no memory for the hosts");
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

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* A death of a rank or a host is no reason to end the others. The settings of the ranks follow, as words of env: a value with a comma
 * cannot go through --export. */
void run_launch_slurm(const struct run_plan *plan, const char *ranks, struct run_launch *command)
{
    const char *const words[] = {plan->mpi == PROGRAM_OPENMPI ? "--mpi=pmix" : "--mpi=pmi2",
                                 "--no-kill",
                                 "--kill-on-bad-exit=0",
                                 "--wait=0",
                                 "--overcommit",
                                 "--overlap",
                                 "--quiet",
                                 "--export=ALL",
                                 "-n",
                                 ranks,
                                 "env",
                                 NULL};
    run_launch_add_all(command, words);
}

/* ---- hosts that are down ----------------------------------------------------------------------------------------- */

struct news {
    char host[sizeof((struct run_host *)0)->name];
};

/* In the thread that copies srun's standard error; the main loop acts. */
static void hear_line(void *pipe, const char *line)
{
    struct news news = {0};
    const char *at = strstr(line, NODE_FAILURE);
    if (!at)
        return;
    at += strlen(NODE_FAILURE);
    snprintf(news.host, sizeof news.host, "%.*s", (int)strcspn(at, " \t\r"), at);
    (void)!write((int)(intptr_t)pipe, &news, sizeof news);
}

void run_slurm_read_news(struct run_job *job)
{
    struct news news;
    while (read(job->links.news, &news, sizeof news) == (ssize_t)sizeof news) {
        news.host[sizeof news.host - 1] = '\0';
        run_told_host_down(job, news.host);
    }
}

int run_slurm_listen(struct run_job *job)
{
    int ends[2] = {-1, -1};
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = RUN_EVENT_NEWS};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0 && epoll_ctl(job->links.events, EPOLL_CTL_ADD, ends[0], &event) == 0)
        job->errors = run_capture_open(&(struct run_capture_plan){
            .out = STDERR_FILENO, .on_line = hear_line, .context = (void *)(intptr_t)ends[1]});
    job->links.news = ends[0];
    job->links.news_in = ends[1];
    return job->errors ? EXIT_OK : cli_failure(job->plan->usage, "no pipe for what srun says: %s", strerror(errno));
}
