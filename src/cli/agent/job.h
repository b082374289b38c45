/* job.h: what the files of `knell agent` share.
 *
 *     agent.c   the command line
 *     job.c     from start to end
 *     join.c    --join: the scenario comes from a leader (cli/leader), maybe on another host
 *     lead.h    --hosts: the leader
 *     door.c    --listen
 *     names.c   does the program have what the scenario names? */
#ifndef KNELL_CLI_AGENT_JOB_H
#define KNELL_CLI_AGENT_JOB_H

#include "agent/agent.h"
#include "channel/stream.h"
#include "cli/scenario/scenario.h"

#include <stdio.h>

enum { JOB_CALLERS = 64 };

struct job {
    const struct usage *usage;
    /* what is wanted */
    const char *fail, *log;
    const char *hosts, *rsh; /* NULL: this host */
    struct texts defines;
    int64_t seed, timeout;
    bool json, quiet, listen;
    int64_t join;   /* the number of this agent among those of a leader; -1: it has none */
    char **program; /* NULL: those of the scenario's places */
    /* what is */
    struct scenario scenario;
    struct agent *agent;
    FILE *out;
    int door; /* an epoll descriptor: readable when somebody knocks or asks; -1: nobody comes in */
    struct {
        int listening;
        int fd[JOB_CALLERS]; /* who have not asked yet; -1: a free place */
        unsigned next;       /* to go when there is none */
    } callers;
    char door_path[PATH_MAX];
    pid_t pid;      /* of `program` */
    pid_t *started; /* by instance */
    bool failed;    /* after a complaint: the job is ended */
    int signal;     /* that ended it */
    struct {
        struct channel_stream stream;
        uint8_t *setup; /* struct channel_setup, and what follows it */
        size_t got;
        const uint8_t *hosted; /* by instance, in the setup; NULL: all */
        bool wants_all_lines, may_begin, is_over, has_told_end;
        int64_t heard;
    } leader;
    char **checked; /* files that have all that the scenario names */
    size_t checked_count;
};

int job_run(struct job *job);
/* To the user, or to the leader. Returns the status. */
int job_complain(struct job *job, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Does the instance live with this agent? */
static inline bool job_hosts(const struct job *job, uint32_t instance)
{
    return !job->leader.hosted || job->leader.hosted[instance];
}
/* Opens the agent; an exit status, after a complaint. */
int job_open_agent(struct job *job);
/* Starts the program of every slot that lives here. */
int job_start_slots(struct job *job);
/* Ends all that was started. */
void job_end_all(struct job *job);
int job_status(const struct job *job);
void job_hear_signal(struct job *job, int signals);
void job_close(struct job *job);

/* Opens the scenario and the log; an exit status, after a complaint. */
int job_open_scenario(struct job *job);
int job_open_log(struct job *job);

/* `knell agent --hosts`, from start to end; an exit status. */
int lead_run(struct job *job);

/* `knell agent --join`, from start to end; an exit status. */
int join_run(struct job *job);
/* To the leader. */
void join_tell(struct job *job, bool fatal, const char *text);
void join_line(struct job *job, const struct knell_fail_record *record);
void join_send(void *driver, uint32_t from, uint32_t to, uint32_t message);

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
