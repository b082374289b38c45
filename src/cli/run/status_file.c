/* status_file.c: --status-file of `knell run`. When the host of `knell run` is lost, a supervisor writes it (exec/alone.c). */
#include "channel/status.h"
#include "cli/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

int run_status_file_write(const struct run_job *job, int status)
{
    if (!job->status_file || channel_status_write(job->status_file, status))
        return status;
    cli_failure(job->plan->usage, "--status-file %s: %s", job->plan->status_file, strerror(errno));
    return status ? status : EXIT_FAILED;
}
