/* links.h: the connections of the ranks' supervisors (src/channel) at `knell run`, and through them the desks of the ranks: orders that
 * are written here, and what the ranks wrote there.
 *
 *     links.c   messages from and to supervisors
 *     desk.c    the desks */
#ifndef KNELL_CLI_RUN_LINKS_H
#define KNELL_CLI_RUN_LINKS_H

#include "channel/door.h"
#include "channel/stream.h"

#include <stdint.h>

struct run_job;

/* One rank's. */
struct run_link {
    struct channel_stream stream;
    bool is_open;      /* the connection stands */
    bool was_open;     /* it stood once: the rank may have started */
    bool is_host_lost; /* nothing was heard of its supervisor any more */
    bool is_down;      /* the resource manager has given its host up: as good as silent */
    bool has_told_end; /* the rank's end is told, */
    bool has_seen_end; /* by its supervisor, which saw it */
    char host[CHANNEL_HOST_NAME];
    bool may_start, is_started; /* its clock is known; the rank was told to start */
    bool shares_clock;          /* with this process */
    int clock_answers;          /* that told the time before the start */
    int64_t ahead;              /* so much its host's clock is ahead of ours */
    int64_t ahead_error;        /* within this; 0: exactly */
    uint64_t asked, answered;   /* numbers of questions */
    int64_t asked_at;
    int64_t heard;                       /* when something came last */
    struct channel_seen seen;            /* as last told */
    struct job_desk_orders orders, sent; /* as it is to be; as the supervisor has it */
    bool is_changed;                     /* they may differ */
    int log, calls;                      /* files of the record; -1: none yet */
};

/* In `events`, besides the ranks' numbers. */
#define RUN_EVENT_DOOR UINT64_MAX
#define RUN_EVENT_NEWS (UINT64_MAX - 1)

struct run_links {
    int events; /* an epoll descriptor: readable when something has come */
    struct channel_door door;
    struct run_link *link; /* by rank */
    int ranks, opened;
    int64_t opened_at;         /* when the last supervisor came */
    struct job_report *report; /* that have come and are not read: a queue */
    size_t first, last, room;
    int64_t ping_at;
    uint64_t left_out; /* bytes of logs and calls that could not be kept */
    int news, news_in; /* a pipe for names of hosts that the resource manager gave up (slurm.c); -1: there is none */
};

/* ---- links.c ----------------------------------------------------------------------------------------------------- */

bool run_links_open(struct run_links *links, int ranks);
void run_links_close(struct run_links *links);
/* Is any supervisor still connected? */
bool run_links_any(const struct run_links *links);
/* Takes in what has come; run_links_next gives the reports of it. */
void run_links_turn(struct run_job *job);
/* Asks every supervisor for a sign of life, in due time; gives up ranks whose host is lost. Returns when to do it again. */
int64_t run_links_ping(struct run_job *job);
bool run_links_next(struct run_links *links, struct job_report *report);
/* Listens at this address alone; who is let in is a supervisor, which gets its desk, or an agent. False: errno says why. */
bool run_links_listen(struct run_job *job, const char *address);
/* The supervisor of a rank is connected. */
void run_link_opened(struct run_job *job, int rank, int fd, const struct channel_hello *hello);
/* The scenario of the agents has begun: the ranks may start. */
void run_links_start(struct run_job *job);
/* Asks; returns when the answer is there, the connection is gone, or it takes too long. */
void run_link_ask(struct run_job *job, int rank, enum channel_kind kind, const void *body, size_t size);
uint64_t run_link_number(struct run_link *link);
/* When a question that is asked now counts as not answered. */
int64_t run_link_patience(void);
/* Until what was asked last is answered. */
void run_link_wait(struct run_job *job, int rank, int64_t until);

/* ---- desk.c ------------------------------------------------------------------------------------------------------ */

/* To be written to; goes to the rank with run_desk_send. */
struct job_desk_orders *run_desk(struct run_job *job, int rank);
void run_desk_send(struct run_job *job, int rank);
void run_desks_send(struct run_job *job);
/* What the rank wrote, as last told. */
const struct job_desk_seen *run_seen(const struct run_job *job, int rank);
/* Calls that may pass. To take it back is a question: the answer is how many are left. */
void run_desk_let_pass(struct run_job *job, int rank, uint32_t calls);
uint32_t run_desk_take_passing(struct run_job *job, int rank, uint32_t let);
/* Asks all for what they wrote; the answers come by and by, or, with `waits`, are there on return. */
void run_desks_look(struct run_job *job, bool waits);
/* Kills the rank unless its shield is shut; false: it is. `when` is when it was killed. */
bool run_desk_strike(struct run_job *job, int rank, int64_t *when);
/* Sends a signal to the process of a rank, unless it has ended. */
void run_kill(struct run_job *job, int rank, int signal);
void run_kill_mind_shield(struct run_job *job, int rank, int signal);
/* To all ranks; returns when it is sent on every host. */
void run_kill_all(struct run_job *job, int signal);

#endif
