/* run.h: what the files of `knell run` share: an MPI job under the layer, from its start to the end of its last
 * process.
 *
 *     run.c           the command line
 *     program.c       the program, its MPI, the launcher and the layer
 *     info.c          --info
 *     hosts.c         --hosts: the hosts of the job and the network between them
 *     slurm.c         those of an allocation; srun, and what it says of hosts
 *     launch.h        the launcher's command and environment
 *     told.c          deaths that ranks on other hosts are told of
 *     directory.c     the job's private directory, for files of the MPIs
 *     links.h         the supervisors of the ranks: links.c, desk.c
 *     agent.c         a scenario for agents (cli/leader)
 *     job.c           the main loop: reports, the scenario
 *     end.c           ends all processes; the exit status
 *     fail.c          the scenario (fail.h); kill.c makes one of --kill, mttf.c of --mttf
 *     log.c           --log
 *     json.c          --json; json_record.c has what describes the run as a whole
 *     record.c        --record; capture.c has the job's output
 *     check.c         --check
 *     facts.c         what is known at the end; verdict.c makes a class of it
 *     leaks.c         what the job left
 *     finish.c        all that comes after the job
 *     spans.c         which calls of different ranks belong together
 *     timeline.c      what happened, in words
 *     picture.c       the same as a picture
 *     not_injected.c  faults that were not injected
 *     refused.c       calls that the layer does not carry
 *     where.c         where each rank is
 *     stuck.c         detects that no rank makes progress
 *     ignored.c       detects a program that ignores the death of a rank */
#ifndef KNELL_CLI_RUN_RUN_H
#define KNELL_CLI_RUN_RUN_H

#include "cli/common/log.h"
#include "cli/common/program.h"
#include "cli/leader/leader.h"
#include "cli/run/capture.h"
#include "cli/run/links.h"
#include "cli/run/verdict.h"
#include "cli/scenario/scenario.h"
#include "job/calls.h"
#include "job/record.h"
#include "job/report.h"

#include <knell/types.h>
#include <limits.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

/* The command; returns the exit status. */
int run_command(int argc, char **argv);

enum run_mode { RUN_MODE_REAL, RUN_MODE_GHOST };

/* Exit statuses of a job that `knell run` ended. */
enum { RUN_TIMED_OUT = 124, RUN_INTERRUPTED = 130 };
/* --status: does a rank that died without an injected fault make the job fail, although the others went on? */
enum run_status_of { RUN_STATUS_SURVIVORS, RUN_STATUS_ALL };
enum run_on_stuck { RUN_ON_STUCK_SAY, RUN_ON_STUCK_END };
enum run_on_ignored { RUN_ON_IGNORED_END, RUN_ON_IGNORED_GO_ON };
enum run_carrier { RUN_CARRIER_ON, RUN_CARRIER_OFF, RUN_CARRIER_PIECES };

struct run_host {
    char name[256];
    int64_t slots; /* ranks there */
};

struct run_plan {
    const struct usage *usage;
    int64_t ranks;
    int mpi; /* enum program_mpi */
    int mode;
    int64_t eta, delta, ghost_delay, grace;
    const char *calibration;
    int overlay; /* enum knell_overlay */
    bool latest_only;
    int on_split;    /* enum knell_split */
    int64_t timeout; /* 0: none */
    int64_t stuck;
    int status; /* enum run_status_of */
    int64_t seed;
    struct texts kills, defines, infos;
    const char *fail;
    bool by_agent;        /* the scenario is run by agents, not here */
    uint32_t *agent_slot; /* by rank: its instance there */
    int64_t mttf;         /* 0: none */
    const char *log, *status_file;
    const char *record, *check;
    const char *expect, *progress; /* regular expressions */
    bool calls, stacks;
    int on_stuck;   /* enum run_on_stuck */
    int on_ignored; /* enum run_on_ignored */
    int carrier;    /* enum run_carrier */
    char **words;   /* of the whole command line, ended by NULL */
    bool dry_run, quiet, verbose, json;
    const char *hosts_text, *hostfile, *interface, *rsh;
    bool rsh_given;
    bool slurm;            /* srun launches */
    struct run_host *host; /* where the ranks run; none: on this host */
    size_t hosts;
    char address[64], network[80], device[32]; /* of this host towards the others; empty: there are no others */
    char **program;                            /* its arguments, ended by NULL */
    char path[PATH_MAX];                       /* of the program */
    char launcher[PATH_MAX];                   /* of mpirun */
    char layer[PATH_MAX];                      /* of libknell-mpi */
    char supervisor[PATH_MAX];                 /* of src/exec */
};

/* ---- program.c --------------------------------------------------------------------------------------------------- */

/* Fills path, mpi (unless `mpi_given`), launcher, layer and supervisor; an exit status. */
int run_find(struct run_plan *plan, bool mpi_given);

/* ---- info.c ------------------------------------------------------------------------------------------------------ */

/* Checks that the layer knows these hints. -1: it does; otherwise an exit status, after a complaint. */
int run_info_check(const struct run_plan *plan);
/* All of them as the layer reads them: "KEY=VALUE;KEY=VALUE". */
void run_info_join(const struct run_plan *plan, char *text, size_t size);

/* ---- hosts.c ----------------------------------------------------------------------------------------------------- */

/* Fills host and network of the plan. -1: fine; otherwise an exit status, after a complaint. */
int run_hosts_check(struct run_plan *plan);
/* The first `length` letters of `text` are the name. False: there is no memory. */
bool run_hosts_add(struct run_plan *plan, const char *text, size_t length, int64_t slots);
/* "a:2,b:2", as both launchers have it. */
void run_hosts_write(const struct run_plan *plan, FILE *out);
struct run_job;
/* The host of a rank, by its own word; empty: not known, or the job has one host. */
const char *run_host_of(const struct run_job *job, int rank);

/* ---- slurm.c ----------------------------------------------------------------------------------------------------- */

/* Is this an allocation, and were no other hosts named? */
bool run_slurm_may(const struct run_plan *plan);
/* Fills the hosts of the plan. -1: fine; otherwise an exit status, after a complaint. */
int run_slurm_check(struct run_plan *plan);
/* From here on run_slurm_read_news tells the ranks of hosts that Slurm gives up. An exit status. */
int run_slurm_listen(struct run_job *job);
void run_slurm_read_news(struct run_job *job);

/* ---- directory.c ------------------------------------------------------------------------------------------------- */

struct run_directory {
    char path[64];
    int lock; /* a lock on the directory, held as long as this process lives */
};

int run_directory_open(const struct run_plan *plan, struct run_directory *directory); /* an exit status */
void run_directory_close(struct run_directory *directory);
/* The folder of a launcher that was killed, if it has one. */
void run_directory_remove_session(pid_t launcher);

/* ---- leaks.c ----------------------------------------------------------------------------------------------------- */

/* Names in shared memory of this user. */
struct run_shm {
    int names;
    struct dirent **name;
};

struct run_leaks {
    struct run_shm before, left;
    int64_t processes;
};

/* ---- job.c ------------------------------------------------------------------------------------------------------- */

struct run_rank {
    int status; /* as of waitpid */
    bool started, init, ready, finished, ended, ghost;
    bool left; /* it was alive when the job was over, and we ended it */
    bool told; /* it has reported `inside`: a call, or one of the values below (job/report.h) */
    int inside;
    int64_t died;          /* when its death was caused or seen; 0: it has not died */
    int64_t learned;       /* when it last heard of a death; 0: it has not */
    bool injected;         /* the scenario caused its death */
    bool struck;           /* the scenario did something to it: killed, stopped, sent a signal */
    int64_t stopped_since; /* by a signal, as far as was looked; 0: it is not */
    char *place;           /* where it was when the job was ended; NULL: not known */
};

enum run_stuck { RUN_MOVES, RUN_FROZEN, RUN_NO_PROGRESS };
/* What --log and what --record have of the events. */
enum { RUN_LOG_USER, RUN_LOG_RECORD, RUN_LOGS };

struct run_job {
    const struct run_plan *plan;
    struct run_directory directory;
    struct run_links links;
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
    int stopped_by;         /* a signal to this process; 0: none */
    bool timed_out, broken; /* timed_out: also by --on-stuck end */
    enum run_stuck stuck;   /* why --on-stuck ended it */
    int64_t stood;          /* for how long nothing had moved */
    bool all_wait;          /* when it was ended, every living rank was waiting */
    char *places;           /* where all were, in one line */
    bool said_stuck;        /* the message that no rank makes progress has been written */
    int64_t look_at;        /* when to look again whether ranks make progress */
    bool may_recover;       /* the program has, or has made, a call for recovery, as far as was looked */
    struct {
        bool is;         /* the program ignores a death: so the job was ended */
        int rank;        /* whose collectives fail; -1: all wait */
        int64_t time;    /* for so long */
        int64_t look_at; /* when to look again */
    } ignored;
    int counted;                    /* ranks that reported their counters, */
    uint64_t missed;                /* heartbeats they missed, */
    int64_t late_most;              /* and the longest delay of one of their detectors */
    bool lost;                      /* the launcher ended before the ranks did, and we had not ended it */
    bool last_finished;             /* the rank that ended last had completed MPI_Finalize */
    struct run_fail *fail;          /* NULL: nothing is injected, or the agent does it */
    struct leader leader;           /* of the agents */
    struct scenario agent_scenario; /* theirs */
    pid_t agent;                    /* that of this host; 0: there is none */
    bool agent_lost;                /* one ended before the job did, or complained of what ends the job; */
    bool agent_said;                /* that is said */
    struct log log[RUN_LOGS];
    char *status_file;     /* absolute; NULL: none */
    char record[PATH_MAX]; /* the folder, absolute; empty: none */
    char *events_path;
    uint64_t events_left_out;    /* bytes of events and calls that the folder does not have */
    struct run_capture *capture; /* NULL: the launcher writes to our standard output itself */
    struct run_capture *errors;  /* the same, standard error: srun has news of hosts there */
    struct run_leaks leaks;
    struct run_verdict verdict;
    pid_t check; /* 0: it has ended */
    int check_status;
    time_t started_at;
};

int run_execute(const struct run_plan *plan);

/* Waits until something happens, `until` at the latest. */
void run_wait(struct run_job *job, int signals, int64_t until);
void run_read_reports(struct run_job *job);
void run_reap(struct run_job *job);
/* Ghosts count as ended: they wait for the others. */
bool run_all_ended(const struct run_job *job);
/* Before the detectors run: ranks wait for ever for one that is gone. */
bool run_cannot_begin(const struct run_job *job);

/* ---- told.c ------------------------------------------------------------------------------------------------------ */

/* The rank has ended; should nobody else know, others are told. */
void run_told_ended(struct run_job *job, int rank);
/* The resource manager holds the host for down, by its name for it. */
void run_told_host_down(struct run_job *job, const char *host);

/* ---- end.c ------------------------------------------------------------------------------------------------------- */

/* Records the states of the ranks at the moment the job is over: what happens to ranks later is our doing. */
void run_keep_states(struct run_job *job);
void run_ask_where(struct run_job *job, int signals);
/* Ends the launcher and all ranks; when it returns, no process is left. */
void run_end(struct run_job *job, int signals);
/* Ends all processes that are left. */
void run_end_children(struct run_job *job);
int run_status(const struct run_job *job);

/* ---- status_file.c ----------------------------------------------------------------------------------------------- */

/* Of an earlier job there is none from here on. An exit status. */
int run_status_file_begin(struct run_job *job);
/* The exit status to end with. */
int run_status_file_write(const struct run_job *job, int status);

/* ---- agent.c ----------------------------------------------------------------------------------------------------- */

/* Decides who runs the scenario of --fail. -1: fine; otherwise an exit status, after a complaint. */
int run_agent_check(struct run_plan *plan);
/* Before the launcher is started; an exit status. */
int run_agent_start(struct run_job *job);
void run_agent_stop(struct run_job *job);
/* All supervisors are connected: who is where is known, and every other host gets its agent. */
void run_agent_gather(struct run_job *job);
/* Takes in what agents tell; in due time tells them that this process is there. Returns when to call again. */
int64_t run_agent_turn(struct run_job *job);
/* By the word of the supervisor of a rank. */
void run_agent_cannot_start(struct run_job *job, int rank, const struct channel_message *message);

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
/* Its text, as FAIL. */
const struct knell_fail_source *run_fail_source(const struct run_fail *fail);
/* How many faults it injected, and how many calls of a rank it heard of. */
uint64_t run_fail_faults(const struct run_fail *fail);
uint64_t run_fail_calls(struct run_fail *fail, int rank, const char *symbol); /* the name that the scenario uses */
/* What it was waiting for when the job ended: "; it waited for MPI_Send, which was called 3 times, and for 5 s". */
void run_fail_write_waits(struct run_fail *fail, FILE *out);
void run_fail_changed(struct run_fail *fail, int rank, int variable);
bool run_fail_is_due(const struct run_fail *fail); /* does it wait for a time or a message? */
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

/* Ends the job (timed_out), or writes once on standard error, when no rank makes progress. Returns when to look again, or
 * KNELL_NEVER. */
int64_t run_look_for_stuck(struct run_job *job);
/* A wait inside MPI that began at `since` and had not ended at `seen`. */
struct run_waiting {
    int64_t since, seen;
};
/* Is it known to wait? */
bool run_is_waiting(const struct run_job *job, int rank, struct run_waiting *waiting);

void run_write_where(const struct run_job *job, FILE *out);
void run_write_stuck(const struct run_job *job, enum run_stuck stuck, FILE *out);
/* Keeps where the ranks are, before they are ended: each rank's place, all in one line, and whether all wait. */
void run_keep_places(struct run_job *job);
bool run_is_stopped(const struct run_job *job, int rank); /* by a signal */
/* What ended the job from outside: "ctrl-C", "--timeout", "signal 15 (Terminated)". */
const char *run_ended_by(const struct run_job *job, char text[48]);
/* At most three significant digits. */
const char *run_format_duration(int64_t time, char text[DURATION_TEXT]);

/* ---- ignored.c --------------------------------------------------------------------------------------------------- */

/* Sets `ignored` where the program ignores a death. Returns when to look again, or KNELL_NEVER. */
int64_t run_look_for_ignored(struct run_job *job);
void run_describe_ignored(const struct run_job *job, FILE *out);
/* The one line that says so. */
void run_write_ignored(const struct run_job *job, FILE *out);

/* ---- log.c, json.c, timeline.c, picture.c, not_injected.c -------------------------------------------------------- */

bool run_logs(const struct run_job *job); /* does anybody want events? */
void run_log_report(struct run_job *job, const struct job_report *report);
void run_log_scenario(struct run_job *job, const char *text); /* what the scenario does, or could not do */
void run_write_json(const struct run_job *job, int status, FILE *out);
void run_write_timeline(const struct run_job *job, FILE *out);
void run_write_picture(const struct run_job *job, FILE *out);
void run_write_not_injected(const struct run_job *job, FILE *out);
/* The first of them, without the name of the command. */
void run_write_first_not_injected(const struct run_job *job, FILE *out);
/* The message about an error handler that ended the job. */
void run_write_fatal(const struct run_job *job, FILE *out);

/* Which rank called MPI_Abort. */
void run_write_abort(const struct run_job *job, FILE *out);
/* Instead of the timeline: a job in which a rank died has failed. */
void run_write_end(const struct run_job *job, int status, FILE *out);
/* One line about calls that the layer does not carry, for which the program got an error; none if there were none. */
void run_write_refused(const struct run_job *job, FILE *out);
void run_put_refused(struct json *j, const struct run_job *job);

void run_put_record(struct json *j, const struct run_job *job); /* json_record.c */

/* ---- record.c, check.c, facts.c, leaks.c, finish.c ------------------------------------------------------ */

#define RUN_RECORD_RUN "run.json"
#define RUN_RECORD_EVENTS "events.jsonl"
#define RUN_RECORD_SCENARIO "scenario.fail"
#define RUN_RECORD_OUTPUT "output"

bool run_records(const struct run_plan *plan);  /* is there a folder, if only a private one? */
bool run_captures(const struct run_plan *plan); /* does the job's output pass through this process? */
/* The folder that the user names, before anything else is made; then what is in it. Exit statuses. */
int run_record_make(struct run_job *job);
int run_record_open(struct run_job *job);
/* No more events come: all but run.json is complete. */
void run_record_finish(struct run_job *job);
/* run.json; returns `status`, unless it could not be written. */
int run_record_write(const struct run_job *job, int status);
uint64_t run_record_left_out(const struct run_job *job);

void run_check(struct run_job *job, int signals, struct run_facts *facts);
void run_find_facts(const struct run_job *job, int status, struct run_facts *facts);

/* Processes that the ranks have left, when the job is over. */
void run_shm_list(struct run_shm *shm);
void run_shm_compare(const struct run_shm *before, struct run_shm *after);
void run_shm_free(struct run_shm *shm);
void run_put_leaks(struct json *j, const struct run_job *job);
void run_put_leaks_of(struct json *j, const struct run_job *job, int rank);
void run_write_leaks(const struct run_job *job, FILE *out);

/* Returns the exit status. */
int run_finish(struct run_job *job, int signals);

/* ---- what happened ----------------------------------------------------------------------------------------------- */

/* The first report of a rank that knew of the death of `rank`; NULL: no rank knew. */
const struct job_report *run_first_to_know(const struct run_job *job, int rank);
/* The rank that died first; -1: none did. */
int run_first_dead(const struct run_job *job);
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
