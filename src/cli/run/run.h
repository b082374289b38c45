/* run.h: what the files of `knell run` share: an MPI job under the layer, from its start to the end of its last
 * process.
 *
 *     run.c           the command line
 *     program.c       the program, its MPI, the launcher and the layer
 *     info.c          --info
 *     launch.c        the launcher's command and environment
 *     directory.c     the job's private directory: the pipe for reports, the desks, files of the MPIs
 *     job.c           the main loop: reports, the scenario
 *     end.c           ends all processes; the exit status
 *     fail.c          the scenario (fail.h); kill.c makes one of --kill, mttf.c of --mttf
 *     log.c           --log
 *     json.c          --json
 *     spans.c         which calls of different ranks belong together
 *     timeline.c      what happened, in words
 *     picture.c       the same as a picture
 *     not_injected.c  faults that were not injected
 *     where.c         where each rank is
 *     stuck.c         detects that no rank makes progress */
#ifndef KNELL_CLI_RUN_RUN_H
#define KNELL_CLI_RUN_RUN_H

#include "cli/common/log.h"
#include "cli/scenario/scenario.h"
#include "job/calls.h"
#include "job/report.h"

#include <knell/types.h>
#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

/* The command; returns the exit status. */
int run_command(int argc, char **argv);

enum run_mpi { RUN_OPENMPI, RUN_MPICH, RUN_MPIS };
enum run_mode { RUN_MODE_REAL, RUN_MODE_GHOST };

/* Exit statuses of a job that `knell run` ended. */
enum { RUN_TIMED_OUT = 124, RUN_INTERRUPTED = 130 };
/* --status: does a rank that died without an injected fault make the job fail, although the others went on? */
enum run_status_of { RUN_STATUS_SURVIVORS, RUN_STATUS_ALL };

struct run_plan {
    const struct usage *usage;
    int64_t ranks;
    int mpi; /* enum run_mpi */
    int mode;
    int64_t eta, delta, ghost_delay, grace;
    int overlay; /* enum knell_overlay */
    bool latest_only;
    int64_t timeout; /* 0: none */
    int64_t stuck;
    int status; /* enum run_status_of */
    int64_t seed;
    struct texts kills, defines, infos;
    const char *fail;
    int64_t mttf; /* 0: none */
    const char *log;
    bool dry_run, quiet, json;
    char **program;          /* its arguments, ended by NULL */
    char path[PATH_MAX];     /* of the program */
    char launcher[PATH_MAX]; /* of mpirun */
    char layer[PATH_MAX];    /* of libknell-mpi */
};

/* ---- program.c --------------------------------------------------------------------------------------------------- */

extern const char *const run_mpi_names[];

/* Fills path, mpi (unless `mpi_given`), launcher and layer; an exit status. */
int run_find(struct run_plan *plan, bool mpi_given);

/* ---- info.c ------------------------------------------------------------------------------------------------------ */

/* Checks that the layer knows these hints. -1: it does; otherwise an exit status, after a complaint. */
int run_info_check(const struct run_plan *plan);
/* All of them as the layer reads them: "KEY=VALUE;KEY=VALUE". */
void run_info_join(const struct run_plan *plan, char *text, size_t size);

/* ---- directory.c ------------------------------------------------------------------------------------------------- */

struct run_directory {
    char path[64];
    int lock;      /* a lock on the directory, held as long as this process lives */
    int reports;   /* the pipe's reading end */
    size_t stride; /* of the desks */
    uint8_t *desks;
    size_t desks_size;
};

int run_directory_open(const struct run_plan *plan, struct run_directory *directory); /* an exit status */
struct job_desk *run_desk(const struct run_directory *directory, int rank);
void run_directory_close(struct run_directory *directory);

/* ---- launch.c ---------------------------------------------------------------------------------------------------- */

enum { RUN_LAUNCH_WORDS = 96 }; /* more than our own words; those of the program come on top */
/* The command to execute; it owns the texts. */
struct run_launch {
    size_t words;
    char **word;
};

/* `directory` NULL: a plain mpirun without `knell run`, so ranks report to no process. */
bool run_launch_make(const struct run_plan *plan, const char *directory, struct run_launch *command);
void run_launch_print(const struct run_launch *command, FILE *out);
/* The standard output of the launcher and the program goes to the descriptor `output`. */
pid_t run_launch_start(const struct run_launch *command, int output);
void run_launch_free(struct run_launch *command);

/* ---- job.c ------------------------------------------------------------------------------------------------------- */

struct run_rank {
    pid_t pid;  /* 0: not started, or ended */
    int status; /* as of waitpid */
    bool started, init, ready, finished, ended, ghost;
    bool left; /* it was alive when the job was over, and we ended it */
    bool told; /* it has reported `inside`: a call, or one of the values below (job/report.h) */
    int inside;
    int64_t died;  /* when its death was caused or seen; 0: it has not died */
    bool injected; /* the scenario caused its death */
};

struct run_job {
    const struct run_plan *plan;
    struct run_directory directory;
    struct run_rank *rank;
    struct job_report *report; /* all reports, in the order of arrival */
    size_t reports, room;
    uint32_t started, ready, ended;
    pid_t launcher;          /* 0: has ended */
    int launcher_status;     /* as of waitpid */
    int64_t launched, begin; /* begin: when all ranks were ready; 0: not yet */
    int64_t end;
    bool aborted;
    bool aborted_by_handler; /* MPI_ERRORS_ARE_FATAL, not the program */
    int abort_code, aborted_by;
    int64_t aborted_at;
    int stopped_by; /* a signal to this process; 0: none */
    bool timed_out, broken;
    bool said_stuck;       /* the message that no rank makes progress has been written */
    int64_t look_at;       /* when to look again whether ranks make progress */
    int counted;           /* ranks that reported their counters, */
    uint64_t missed;       /* heartbeats they missed, */
    int64_t late_most;     /* and the longest delay of one of their detectors */
    bool lost;             /* the launcher ended before the ranks did, and we had not ended it */
    bool last_finished;    /* the rank that ended last had completed MPI_Finalize */
    struct run_fail *fail; /* NULL: nothing is injected */
    struct log log;
};

int run_execute(const struct run_plan *plan);
/* Sends a signal to the process of a rank, unless it has ended. */
void run_kill(struct run_job *job, int rank, int signal);

/* Waits until something happens, `until` at the latest. */
void run_wait(struct run_job *job, int signals, int64_t until);
void run_read_reports(struct run_job *job);
void run_reap(struct run_job *job);
/* Ghosts count as ended: they wait for the others. */
bool run_all_ended(const struct run_job *job);

/* ---- end.c ------------------------------------------------------------------------------------------------------- */

/* Records the states of the ranks at the moment the job is over: what happens to ranks later is our doing. */
void run_keep_states(struct run_job *job);
void run_ask_where(struct run_job *job, int signals);
/* Ends the launcher and all ranks; when it returns, no process is left. */
void run_end(struct run_job *job, int signals);
int run_status(const struct run_job *job);

/* ---- fail.c ------------------------------------------------------------------------------------------------------ */

/* Does the plan inject faults? */
bool run_injects(const struct run_plan *plan);
/* The scenario of --fail, --kill or --mttf. NULL with *status EXIT_OK: there is none; NULL with another status: an
 * error. */
struct run_fail *run_fail_open(struct run_job *job, int *status);
/* Writes the names of its variables on the desks, before the ranks start. */
void run_fail_name_variables(struct run_fail *fail);
void run_fail_begin(struct run_fail *fail);
void run_fail_ended(struct run_fail *fail, int rank, bool well);
/* The rank is held at a call (JOB_WORD_AT). */
void run_fail_at(struct run_fail *fail, const struct job_report *report);
/* It went through a call with fewer operations than those it was to be held before (JOB_WORD_POSTED). */
void run_fail_posted(struct run_fail *fail, const struct job_report *report);
/* Where the scenario holds a rank: at a call (job/calls.h); -1: at the end of MPI_Init. */
struct run_fail_hold {
    int call;
    enum job_at where;
    int64_t operation; /* inside */
    int64_t since;
};
bool run_fail_holds(const struct run_fail *fail, int rank, struct run_fail_hold *held);
/* Such a call of the rank; false: there was none. */
struct run_fail_missed {
    const char *function; /* the scenario's name */
    int call;
    uint64_t count; /* which one it was */
    int64_t operation;
    int posted; /* the operations that it had */
};
bool run_fail_missed(const struct run_fail *fail, int rank, struct run_fail_missed *missed);
/* How many faults it injected, and how many calls of a rank it heard of. */
uint64_t run_fail_faults(const struct run_fail *fail);
uint64_t run_fail_calls(struct run_fail *fail, int rank, const char *symbol); /* the name that the scenario uses */
/* What it was waiting for when the job ended: "; it waited for MPI_Send, which was called 3 times, and for 5 s". */
void run_fail_write_waits(struct run_fail *fail, FILE *out);
void run_fail_changed(struct run_fail *fail, int rank, int variable);
/* Does what is due; returns when the next step is due, by the clock, or KNELL_NEVER. */
int64_t run_fail_act(struct run_fail *fail);
void run_fail_close(struct run_fail *fail);

/* ---- spans.c ----------------------------------------------------------------------------------------------------- */

/* One revoke, agree or shrink, over all ranks that took part. */
struct run_span {
    int64_t first, end; /* when the first rank entered, when the last rank left */
    int64_t longest;    /* the longest time of one rank */
    int ranks;
};

/* All spans of that call (job/calls.h) in the order of time; the caller frees them. Returns their number. */
size_t run_spans(const struct run_job *job, int call, struct run_span **spans);

/* ---- stuck.c, where.c -------------------------------------------------------------------------------------------- */

/* Writes once, on standard error, that no rank makes progress. Returns when to look again, or KNELL_NEVER. */
int64_t run_look_for_stuck(struct run_job *job);
/* Is it known to wait inside MPI, and since when? */
bool run_is_waiting(const struct run_job *job, int rank, int64_t *since);

void run_write_where(const struct run_job *job, FILE *out);
void run_write_stuck(const struct run_job *job, int64_t how_long, FILE *out);
/* What ended the job from outside: "ctrl-C", "--timeout", "signal 15 (Terminated)". */
const char *run_ended_by(const struct run_job *job, char text[48]);
/* At most three significant digits. */
const char *run_format_duration(int64_t time, char text[DURATION_TEXT]);

/* ---- log.c, json.c, timeline.c, picture.c, not_injected.c -------------------------------------------------------- */

void run_log_report(struct run_job *job, const struct job_report *report);
void run_log_scenario(struct run_job *job, const char *text); /* what the scenario does, or could not do */
void run_write_json(const struct run_job *job, int status, FILE *out);
void run_write_timeline(const struct run_job *job, FILE *out);
void run_write_picture(const struct run_job *job, FILE *out);
void run_write_not_injected(const struct run_job *job, FILE *out);
/* The message about an error handler that ended the job. */
void run_write_fatal(const struct run_job *job, FILE *out);

/* The first report of a rank that knew of the death of `rank`; NULL: no rank knew. */
const struct job_report *run_first_to_know(const struct run_job *job, int rank);
/* When the rank died. We see an end that we did not cause later than it happens, so the first report of another rank
 * may be earlier and then counts. */
int64_t run_died(const struct run_job *job, int rank);
/* Is the rank a ghost, or did it end before the job was over and without MPI_Finalize? */
bool run_is_death(const struct run_rank *rank);

/* Escape sequences for a terminal; empty texts for a file. */
struct run_colors {
    const char *dead, *recovers, *alive, *off;
};
const struct run_colors *run_colors(FILE *out);

#endif
