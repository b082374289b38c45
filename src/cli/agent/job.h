/* job.h: what the files of `knell agent` share.
 *
 *     agent.c   the command line
 *     job.c     from start to end
 *     door.c    --listen
 *     names.c   does the program have what the scenario names? */
#ifndef KNELL_CLI_AGENT_JOB_H
#define KNELL_CLI_AGENT_JOB_H

#include "agent/agent.h"
#include "cli/scenario/scenario.h"

#include <stdio.h>

struct job {
    const struct usage *usage;
    /* what is wanted */
    const char *fail, *log;
    struct texts defines;
    int64_t seed, timeout;
    bool json, quiet, listen;
    char **program; /* NULL: those of the scenario's places */
    /* what is */
    struct scenario scenario;
    struct agent *agent;
    FILE *out;
    int door; /* -1: nobody comes in */
    char door_path[PATH_MAX];
    pid_t pid;      /* of `program` */
    pid_t *started; /* by instance */
    bool failed;    /* after a complaint: the job is ended */
    int signal;     /* that ended it */
    char **checked; /* files that have all that the scenario names */
    size_t checked_count;
};

int job_run(struct job *job);

/* An exit status, after a complaint. */
int door_open(struct job *job);
void door_close(struct job *job);
/* Those who have knocked. */
void door_serve(struct job *job);

/* As agent_config.check. */
bool names_check(void *driver, uint32_t place, const char *path, char *why);
/* Of all programs that are known before the start; an exit status, after a complaint. */
int names_check_all(struct job *job);

#endif
