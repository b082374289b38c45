/* exec.h: what the files of the supervisor share. It stands between the launcher and one rank: it starts the rank with the layer, waits
 * for it, tells `knell run` what the rank tells and how it ended, and does to it what `knell run` orders. MPICH's hydra ends a whole job
 * after one of its children died by a signal; this child ends with 0 whatever the rank died of.
 *
 *     main.c      settings; the course from start to end
 *     link.c      the connection to `knell run` (channel/)
 *     loop.c      while the rank lives: orders, reports, output, signals
 *     alone.c     the host of `knell run` is lost: the rank goes on, the status goes to a file
 *     front.c     what the launcher sees of a supervisor that may have to go on alone
 *     desk.c      the memory shared with the rank (job/report.h), and what `knell run` orders there
 *     rank.c      the rank's process
 *     agent.c     the agent of this host, if a scenario needs one
 *     output.c    the rank's standard output and standard error
 *     end.c       after the rank: what it left, its record, its status
 *     goodbye.c   hydra's last word
 *     pmix.c      the rank's connection to Slurm's PMIx server outlives the rank */
#ifndef KNELL_EXEC_EXEC_H
#define KNELL_EXEC_EXEC_H

#include "channel/stream.h"

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

struct exec {
    char **program;          /* its arguments, ended by NULL */
    int number;              /* of the rank, by the launcher's word; -1: it has none */
    bool is_heard;           /* `knell run` is there */
    bool may_start, may_end; /* as `knell run` says */
    struct channel_stream channel;
    bool has_hosts; /* the job has more than one */
    bool is_apart;  /* `knell run` is on another host */
    bool is_alone;  /* and nothing is heard of it any more */
    int front;      /* it ends with the process that the launcher knows; -1: that is this one */
    struct job_desk *desk;
    int desk_fd, calls_fd;       /* calls_fd -1: not wanted */
    int reports_in, reports_out; /* a pipe; -1: none */
    int deaths_in, deaths_out;   /* a pipe, to the rank; -1: none, the job has one host */
    int signals;                 /* a signalfd */
    pid_t rank;
    int status; /* as of waitpid, when it has ended */
    bool has_ended;
    int64_t struck; /* when it was killed by order; 0: it was not */
};

/* Above this many unsent bytes nothing is taken from the rank. */
enum { EXEC_UNSENT_MOST = 1 << 20 };

/* One line on standard error. */
void exec_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- link.c ---------------------------------------------------------------------------------------------------------- */

/* Connects to KNELL_RUN with KNELL_KEY; false, after a message: it cannot. Sets KNELL_ADDRESS for the rank. */
bool link_open(struct exec *exec);
/* Carries out the orders that have arrived. */
void link_obey(struct exec *exec);
void link_report(struct exec *exec, struct job_report report);
/* Passes on the reports that the rank has written. */
void link_pass_reports(struct exec *exec);
/* Until so few bytes are unsent; for a limited time. */
void link_wait_sent(struct exec *exec, size_t most);

/* ---- desk.c ---------------------------------------------------------------------------------------------------------- */

bool desk_make(struct exec *exec);
void desk_write(struct exec *exec, uint64_t offset, const uint8_t *bytes, size_t size);
/* Kills the rank unless its shield is shut. */
void desk_strike(struct exec *exec);
void desk_signal(struct exec *exec, int signal, bool minds_shield);
void desk_tell(struct exec *exec, uint64_t number, uint32_t left);

/* ---- rank.c ---------------------------------------------------------------------------------------------------------- */

/* Makes `signals`; from then on the process hears of signals there. */
bool rank_prepare(struct exec *exec);
bool rank_start(struct exec *exec);
void rank_kill(struct exec *exec, int signal);
/* Reads `signals`: passes them on, notes the rank's end. */
void rank_hear_signals(struct exec *exec);
/* By the kernel: 'T', stopped by a signal; 't', by a debugger; 0: not known. */
char rank_state(const struct exec *exec);
/* Processes that the rank started and that are left, after they had a moment to end; they are ended. */
int rank_end_left(struct exec *exec);

/* ---- agent.c --------------------------------------------------------------------------------------------------------- */

/* By order of `knell run` (CHANNEL_AGENT), before the rank starts: `knell agent --join NUMBER`, in a session of its own. */
void agent_start(struct exec *exec, uint64_t number, const struct channel_message *order);

/* ---- output.c -------------------------------------------------------------------------------------------------------- */

enum { OUTPUT_STREAMS = 2 };

/* If a log is wanted. Before the fork; then in one of the two processes each. */
void output_prepare(bool wanted);
void output_become_rank(void);
void output_become_supervisor(void);
void output_poll(struct pollfd fds[OUTPUT_STREAMS]);
void output_turn(struct channel_stream *log, const struct pollfd fds[OUTPUT_STREAMS]);
/* After the rank's end: all that it wrote goes to the log; then the launcher gets the rest, if it reads. */
void output_drain(struct channel_stream *log);
void output_rest(void);

/* ---- alone.c, front.c ------------------------------------------------------------------------------------------------ */

/* As START says. */
void alone_learn(const struct channel_message *start);
/* Something was heard of `knell run`. */
void alone_heard(struct exec *exec);
/* Before the start: `knell run` was heard of long ago, on another host. */
bool alone_waits_in_vain(const struct exec *exec);
/* Of the rank's reports: who is dead. */
void alone_note(const struct job_report *report);
/* Is `knell run` still there? Ends the rank when its time is over and nobody else would. */
void alone_look(struct exec *exec);
/* Until the next look, for poll; -1: none is needed. */
int alone_next_look(const struct exec *exec);
/* The rank has ended: does `knell run` hear it? */
void alone_end(struct exec *exec);

/* Returns in a process of its own session, the supervisor; the process before stays where the launcher sees it. */
bool front_leave(struct exec *exec);

/* ---- loop.c, end.c, goodbye.c ---------------------------------------------------------------------------------------- */

/* Returns when the rank may start; false: `knell run` is gone. */
bool loop_until_start(struct exec *exec);
/* Returns when the rank has ended. */
void loop_until_end(struct exec *exec);
/* Tells the end; returns the exit status for the launcher. */
int end_tell(struct exec *exec);
void goodbye_say_for(const struct exec *exec);

/* ---- pmix.c ---------------------------------------------------------------------------------------------------------- */

/* In the process that the launcher started. */
void pmix_prepare(void);
/* Has the rank connected? */
void pmix_look(const struct exec *exec);
/* Until the next look, for poll, if that is sooner. */
int pmix_next_look(int other_ms);
/* After the rank's end. */
void pmix_keep(void);

#endif
