/* run.h: what the files of `knell run` share: an MPI job under the layer, from its start to the last process.
 *
 *      run.c          the command line
 *      run_program.c  what is to be run, with which MPI, launcher and layer
 *      run_info.c     --info
 *      run_launch.c   the launcher's command and environment
 *      run_place.c    the job's private directory: the reports' pipe, the desk, what the MPIs leave
 *      run_job.c      the loop: reports, the scenario
 *      run_end.c      nobody is left; the status
 *      run_fail.c     the scenario (run_fail.h); run_kill.c --kill, run_mttf.c --mttf as one
 *      run_log.c      --log
 *      run_json.c     --json
 *      run_spans.c    which calls belong together
 *      run_timeline.c what happened, in words
 *      run_picture.c  the same as a picture
 *      run_spared.c   what was to strike and did not
 *      run_where.c    who is where
 *      run_stuck.c    nothing moves any more */
#ifndef KNELL_CLI_RUN_RUN_H
#define KNELL_CLI_RUN_RUN_H

#include "cli/scenario/scenario.h"
#include "cli/common/log.h"
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

/* Exit statuses of the job's end by us. */
enum { RUN_TIMED_OUT = 124, RUN_INTERRUPTED = 130 };
/* --status: whether ranks that died unasked make a job fail that went on without them. */
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

/* ---- run_program.c ------------------------------------------------------------------------------------------------------- */

extern const char *const run_mpi_names[];

/* Fills path, mpi (unless `mpi_given`), launcher and layer; an exit status. */
int run_find(struct run_plan *plan, bool mpi_given);

/* ---- run_info.c ---------------------------------------------------------------------------------------------------------- */

/* Are they hints that the layer knows? An exit status; -1: they are. */
int run_info_check(const struct run_plan *plan);
/* All of them as the layer reads them: "KEY=VALUE;KEY=VALUE". */
void run_info_join(const struct run_plan *plan, char *text, size_t size);

/* ---- run_place.c --------------------------------------------------------------------------------------------------------- */

struct run_directory {
    char path[64];
    int lock;      /* on it, as long as we live */
    int reports;   /* the pipe's reading end */
    size_t stride; /* of the desks */
    uint8_t *desks;
    size_t desks_size;
};

int run_directory_open(const struct run_plan *plan, struct run_directory *directory); /* an exit status */
struct job_desk *run_desk(const struct run_directory *directory, int rank);
void run_directory_close(struct run_directory *directory);

/* ---- run_launch.c -------------------------------------------------------------------------------------------------------- */

enum { RUN_LAUNCH_WORDS = 96 }; /* more than ours are; the program's come on top */
/* What is executed; the texts are owned. */
struct run_launch {
    size_t words;
    char **word;
};

/* `directory` NULL: for a plain mpirun, without anybody to report to. */
bool run_launch_make(const struct run_plan *plan, const char *directory, struct run_launch *command);
void run_launch_print(const struct run_launch *command, FILE *out);
/* What it and the program write to standard output goes to the descriptor `output`. */
pid_t run_launch_start(const struct run_launch *command, int output);
void run_launch_free(struct run_launch *command);

/* ---- run_job.c ----------------------------------------------------------------------------------------------------------- */

struct run_rank {
    pid_t pid;  /* 0: not started, or ended */
    int status; /* as of waitpid */
    bool started, init, ready, finished, ended, ghost;
    bool left; /* there when the job was over, and ended by us */
    bool told; /* what it is inside of: a call, or below (report.h) */
    int inside;
    int64_t died;  /* when its death was caused or seen; 0 */
    bool injected; /* by the scenario */
};

struct run_job {
    const struct run_plan *plan;
    struct run_directory directory;
    struct run_rank *rank;
    struct job_report *report; /* all of them, in the order of arrival */
    size_t reports, room;
    uint32_t started, ready, ended;
    pid_t launcher;          /* 0: has ended */
    int launcher_status;     /* as of waitpid */
    int64_t launched, begin; /* begin: all are ready; 0 before */
    int64_t end;
    bool aborted;
    bool aborted_by_handler; /* MPI_ERRORS_ARE_FATAL, not the program */
    int abort_code, aborted_by;
    int64_t aborted_at;
    int stopped_by; /* a signal to us; 0 */
    bool timed_out, broken;
    bool said_stuck;       /* that nothing moves; */
    int64_t look_at;       /* when to look for it */
    int counted;           /* ranks that told their counts, */
    uint64_t missed;       /* heartbeats they missed, */
    int64_t late_most;     /* and the most that one of their detectors ran late */
    bool lost;             /* the launcher ended before the ranks did, and was not told to */
    bool last_finished;    /* who ended last, ended by MPI_Finalize */
    struct run_fail *fail; /* NULL: nothing is injected */
    struct log log;
};

int64_t run_clock(void);
int run_execute(const struct run_plan *plan);
/* The process ends at once, as if killed from outside. */
void run_kill(struct run_job *job, int rank, int signal);

/* Until something happens, `until` at the latest. */
void run_wait(struct run_job *job, int signals, int64_t until);
void run_read_reports(struct run_job *job);
void run_reap(struct run_job *job);
/* Ghosts do not count: they wait for the others. */
bool run_all_ended(const struct run_job *job);

/* ---- run_end.c ----------------------------------------------------------------------------------------------------------- */

/* The states as they were when it was decided that the job is over: what happens to ranks from then on is our doing. */
void run_keep_states(struct run_job *job);
void run_ask_where(struct run_job *job, int signals);
/* When this returns nobody is left. */
void run_end(struct run_job *job, int signals);
int run_status(const struct run_job *job);

/* ---- run_fail.c ---------------------------------------------------------------------------------------------------------- */

/* Is there one? */
bool run_injects(const struct run_plan *plan);
/* The scenario of --fail, --kill or --mttf; NULL with *status EXIT_OK: none. Otherwise *status says why. */
struct run_fail *run_fail_open(struct run_job *job, int *status);
/* On the desks, before the ranks are there: which variables it names. */
void run_fail_name_variables(struct run_fail *fail);
void run_fail_begin(struct run_fail *fail);
void run_fail_ended(struct run_fail *fail, int rank, bool well);
void run_fail_at(struct run_fail *fail, int rank, int call, bool after);
/* A rank that the scenario holds: at a call (job/calls.h), before or after it; -1: it has not let it go from MPI_Init. */
struct run_fail_hold {
    int call;
    bool after;
    int64_t since;
};
bool run_fail_holds(const struct run_fail *fail, int rank, struct run_fail_hold *held);
/* How often it struck, and how often it heard a rank come to a call. */
uint64_t run_fail_faults(const struct run_fail *fail);
uint64_t run_fail_calls(struct run_fail *fail, int rank, const char *symbol); /* by the name the scenario has for it */
/* What it had waited for when the job ended: "; it waited for MPI_Send, which was called 3 times, and for 5 s". */
void run_fail_write_waits(struct run_fail *fail, FILE *out);
void run_fail_changed(struct run_fail *fail, int rank, int variable);
/* Does what is due; returns when the next thing is, by the clock, or KNELL_NEVER. */
int64_t run_fail_act(struct run_fail *fail);
void run_fail_close(struct run_fail *fail);

/* ---- run_spans.c --------------------------------------------------------------------------------------------------------- */

/* One revoke, agree or shrink, of all who took part. */
struct run_span {
    int64_t first, end; /* the first in, the last out */
    int64_t longest;    /* of one rank */
    int ranks;
};

/* All of that call (job/calls.h) in the order of time, to be freed; how many. */
size_t run_spans(const struct run_job *job, int call, struct run_span **spans);

/* ---- run_stuck.c, run_where.c ------------------------------------------------------------------------------------------------ */

/* Says once, on standard error, that nothing moves; returns when to look again, or KNELL_NEVER. */
int64_t run_look_for_stuck(struct run_job *job);
/* Is it known to wait inside MPI, and since when? */
bool run_is_waiting(const struct run_job *job, int rank, int64_t *since);

void run_write_where(const struct run_job *job, FILE *out);
void run_write_stuck(const struct run_job *job, int64_t how_long, FILE *out);
/* "ctrl-C", "--timeout", "signal 15 (Terminated)": what ended it from outside. */
const char *run_ended_by(const struct run_job *job, char text[48]);
/* To the millisecond. */
const char *run_format_duration(int64_t time, char text[DURATION_TEXT]);

/* ---- run_log.c, run_json.c, run_timeline.c, run_picture.c, run_spared.c ------------------------------------------------------------------ */

void run_log_report(struct run_job *job, const struct job_report *report);
void run_log_scenario(struct run_job *job, const char *text); /* what it does, or did not do */
void run_write_json(const struct run_job *job, int status, FILE *out);
void run_write_timeline(const struct run_job *job, FILE *out);
void run_write_picture(const struct run_job *job, FILE *out);
void run_write_not_injected(const struct run_job *job, FILE *out);
/* An error handler ended the job: the one message about it. */
void run_write_fatal(const struct run_job *job, FILE *out);

/* Who knew of the death of `rank` first; NULL: nobody. */
const struct job_report *run_first_to_know(const struct run_job *job, int rank);
/* When it died. Nobody knows before it happened: an end that was not of our doing is seen later than it happens. */
int64_t run_died(const struct run_job *job, int rank);
/* A ghost, or gone before the job was over without MPI_Finalize. */
bool run_is_death(const struct run_rank *rank);

/* What a terminal understands; nothing in a file. */
struct run_colors {
    const char *dead, *recovers, *alive, *off;
};
const struct run_colors *run_colors(FILE *out);

#endif
