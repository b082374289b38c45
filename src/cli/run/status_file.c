/* status_file.c: --status-file of `knell run`. When the host of `knell run` is lost, a supervisor writes it (exec/alone.c). */
#include "channel/status.h"
#include "cli/run/run.h"

#include <knell/runtime.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Supervisors may have another working directory. */
static char *absolute(const char *path)
{
    char here[PATH_MAX], *text = NULL;
    if (*path == '/')
        return strdup(path);
    if (!getcwd(here, sizeof here) || asprintf(&text, "%s/%s", here, path) < 0)
        return NULL;
    return text;
}

int run_status_file_begin(struct run_job *job)
{
    const char *wanted = job->plan->status_file;
    if (!wanted)
        return EXIT_OK;
    job->status_file = absolute(wanted);
    if (!job->status_file || !channel_status_write(job->status_file, 0) || unlink(job->status_file) != 0)
        return cli_usage_error(job->plan->usage, "--status-file %.200s: %s", wanted, strerror(errno));
    return EXIT_OK;
}

/* The smaller side of a split leaves the file to the other one, which may reach it too. */
static bool is_left_to_others(const struct run_job *job)
{
    bool split = false, finished = false;
    for (int64_t i = 0; i < job->plan->ranks; i++) {
        const struct run_rank *rank = &job->rank[i];
        split |= rank->ended && WIFEXITED(rank->status) && WEXITSTATUS(rank->status) == KNELL_RUNTIME_EXIT_SPLIT;
        finished |= rank->finished;
    }
    return split && !finished;
}

int run_status_file_write(const struct run_job *job, int status)
{
    if (!job->status_file || is_left_to_others(job) || channel_status_write(job->status_file, status))
        return status;
    cli_failure(job->plan->usage, "--status-file %s: %s", job->plan->status_file, strerror(errno));
    return status ? status : EXIT_FAILED;
}
