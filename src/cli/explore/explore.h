/* explore.h: what the files of `knell explore` share. It strikes a program at one place after the other, each time in a `knell run`
 * of its own, and says which deaths the program does not survive.
 *
 *     explore.c    the command line
 *     search.c     the course: baselines, the queue of planned runs, budget, signals
 *     sequence.c   the calls of one rank in one run
 *     points.c     which deaths to try, out of the calls without faults: enumerating and pruning
 *     pairs.c      second deaths, out of the calls after a first death
 *     child.c      one `knell run`
 *     result.c     what became of it, out of its record
 *     store.c      the folder: what was planned, one line for every run; --resume
 *     causes.c     failures with one signature are one cause; repeats and minimises it
 *     report.c     the summary in words and as JSON */
#ifndef KNELL_CLI_EXPLORE_EXPLORE_H
#define KNELL_CLI_EXPLORE_EXPLORE_H

#include "cli/common/options.h"
#include "record/calls.h"
#include "record/outcome.h"
#include "symbols/symbols.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

/* The command; returns the exit status: 0 all right, 1 a death was not survived, 2 wrong input, 3 nothing can be said, 130 ctrl-C. */
int explore_command(int argc, char **argv);
enum { EXPLORE_NOTHING_SAID = 3, EXPLORE_INTERRUPTED = 130 };

enum explore_during { EXPLORE_RECOVERY, EXPLORE_ANY };

struct explore_plan {
    const struct usage *usage;
    int argc; /* the command line, which the folder keeps for --resume */
    char **argv;
    int64_t ranks, deaths, seed, jobs, max_failures;
    int64_t budget, timeout; /* 0: none; the limit is computed */
    int during;
    /* Passed on to `knell run` as they are; NULL: not given. */
    const char *hosts, *hostfile, *interface, *rsh;
    const char *mpi, *mode, *eta, *delta, *grace, *ghost_delay, *check, *expect, *progress;
    struct texts infos;
    struct texts unpruned;
    bool inside, all, dry_run, json;
    const char *out, *resume;
    char **program;
};

/* ---- sequence.c ------------------------------------------------------------------------------------------------------------ */

/* One MPI call of a rank. */
struct explore_step {
    int call;           /* job/calls.h */
    unsigned count;     /* the rank's so-manieth call of this function */
    unsigned posted;    /* native operations within it */
    uint64_t place;     /* of function, call stack, size of the communicator and number of known deaths */
    uint64_t site;      /* of function and call site alone */
    uint32_t stack;     /* in the record */
    int size, peer;     /* as in the record */
    int64_t begin, end; /* end 0: never */
    int code;
    bool communicates;
};

struct explore_sequence {
    int rank;
    struct explore_step *step;
    size_t steps;
    struct record_calls calls;
};

/* Of all ranks of one run; sequence[R] is empty where there is no record of rank R. */
struct explore_run {
    int ranks;
    struct explore_sequence *sequence;
};
bool explore_run_read(const char *directory, int ranks, struct explore_run *run, char error[256]);
void explore_run_free(struct explore_run *run);
/* Do all ranks make the same communicating calls at the same places in both? */
bool explore_run_same(const struct explore_run *a, const struct explore_run *b);
/* "MPI_Sendrecv (jacobi.c:67)" */
void explore_step_text(const struct explore_sequence *sequence, const struct explore_step *step,
                       struct symbols *symbols, char *text, size_t size);

/* ---- points.c -------------------------------------------------------------------------------------------------------------- */

struct explore_fault {
    int rank, call;
    unsigned count;
    unsigned inside; /* before this native operation within the call; 0: before the call */
    uint64_t place;
    uint32_t step; /* in the rank's sequence */
};

enum { EXPLORE_FAULTS = 2, EXPLORE_KEY = 160 };
/* A planned run. */
struct explore_item {
    int faults;
    struct explore_fault fault[EXPLORE_FAULTS];
    uint64_t rarity;       /* smaller: earlier */
    char key[EXPLORE_KEY]; /* "2@MPI_Sendrecv#17 3@MPIX_Comm_agree#1" */
    char where[256];       /* "rank 2 before MPI_Sendrecv#17 (jacobi.c:67)" */
};

struct explore_points {
    struct explore_item *item;
    size_t items;
    size_t all;                    /* before pruning */
    size_t left_times, left_ranks; /* pruned by each rule */
};

/* Of the fault-free calls. */
bool explore_points_make(const struct explore_plan *plan, const struct explore_run *run, struct symbols *symbols,
                         struct explore_points *points);
bool explore_points_add(struct explore_points *points, const struct explore_item *item);
void explore_points_free(struct explore_points *points);
/* Writes key and where. */
void explore_item_name(struct explore_item *item, const struct explore_run *run[EXPLORE_FAULTS],
                       struct symbols *symbols);
bool explore_is_unpruned(const struct explore_plan *plan, const char *rule);

/* ---- pairs.c --------------------------------------------------------------------------------------------------------------- */

/* Recoveries that were seen. */
struct explore_recoveries {
    uint64_t *key;
    size_t keys;
};
/* The second deaths for this first one, out of the calls of the run in which it struck. `baseline`: the calls without faults. */
bool explore_pairs_make(const struct explore_plan *plan, const struct explore_item *first,
                        const struct explore_run *baseline, const struct explore_run *run, struct symbols *symbols,
                        struct explore_recoveries *seen, struct explore_points *pairs, uint64_t *recovery);
/* True: this one was not seen before; it is from now on. */
bool explore_recovery_is_new(struct explore_recoveries *seen, uint64_t key);
/* Two ranks at one place. */
bool explore_pairs_same_place(const struct explore_plan *plan, const struct explore_run *baseline,
                              struct symbols *symbols, const struct explore_points *singles,
                              struct explore_points *pairs);

/* ---- child.c --------------------------------------------------------------------------------------------------------------- */

struct explore_limits {
    int64_t timeout, stuck; /* ns */
};

struct explore_words {
    char **word;
    size_t words, room;
};
/* The words of `knell run` for these deaths. `record` NULL: as a user would type it, to see it again. `how`: one more option (--stacks,
 * --calls, --json), or NULL. */
bool explore_command_words(const struct explore_plan *plan, int64_t ranks, const struct explore_limits *limits,
                           const char *key, const char *record, const char *how, struct explore_words *words);
void explore_words_free(struct explore_words *words);

/* Its standard error goes to the file `said`. */
pid_t explore_child_start(const struct explore_words *words, const char *said);
/* Starts one and waits; a status as of waitpid, or -1. A signal in `signals` (a signalfd) is passed on and noted. */
int explore_child_run(const struct explore_words *words, const char *said, int signals, int *stopped_by);
/* The last line of that file, without "knell run: ". */
void explore_said(const char *said, char *text, size_t size);

/* ---- result.c -------------------------------------------------------------------------------------------------------------- */

enum { EXPLORE_LEAKS = 5 }; /* requests, communicators, groups, processes, shared memory */
extern const char *const explore_leak_names[EXPLORE_LEAKS];

struct explore_result {
    char key[EXPLORE_KEY], where[256];
    enum record_class class;
    char why[256];
    int survivors;
    double wall_s;
    uint64_t signature;          /* of class, and where and how each survivor ended */
    char survivors_text[512];    /* "ranks 1, 3 wait in MPI_Allreduce (jacobi.c:138)" */
    double leaks[EXPLORE_LEAKS]; /* the most of one survivor; the last two of the job */
    char directory[64];          /* in the folder; "": not kept */
    struct explore_item *pair;   /* second deaths that this run led to; the result owns them */
    size_t pairs;
    uint64_t recovery; /* of what kind its recovery was; 0: not looked at */
};

/* Of the record in `directory`. `item` NULL: a run without faults. `run` gets its calls, if it is not NULL. */
void explore_result_read(const char *directory, const struct explore_plan *plan, const struct explore_item *item,
                         const struct explore_run *baseline, struct symbols *symbols, struct explore_result *result,
                         struct explore_run *run);
bool explore_is_failure(enum record_class class);
bool explore_leaks_more(const struct explore_result *result, const struct explore_result *baseline);

/* ---- store.c --------------------------------------------------------------------------------------------------------------- */

struct explore_store {
    char path[PATH_MAX];
    bool made;   /* by this exploration: it may be removed */
    int results; /* the file, appended to, and locked while an exploration is at work */
    off_t size;
    struct explore_result *result;
    size_t count, room;
};
int explore_store_open(struct explore_plan *plan, struct explore_store *store); /* an exit status */
int explore_store_write_plan(const struct explore_plan *plan, const struct explore_store *store);
/* --resume: the command line of the folder. -1: read; otherwise an exit status. */
int explore_store_read_plan(const struct explore_plan *plan, const char *path, char ***argv, int *argc);
/* What was run before; the program must be the same. -1: read. */
int explore_store_read_results(const struct explore_plan *plan, struct explore_store *store);
bool explore_store_add(struct explore_store *store, const struct explore_result *result);
const struct explore_result *explore_store_find(const struct explore_store *store, const char *key);
void explore_store_close(struct explore_store *store);

/* ---- causes.c -------------------------------------------------------------------------------------------------------------- */

struct explore_cause {
    const struct explore_result *result; /* the one to show */
    size_t runs;
    bool leak;
    int again, of; /* failed so many times of so many */
    int64_t ranks; /* with which it is shown */
    char key[EXPLORE_KEY];
};
struct explore_causes {
    struct explore_cause *cause;
    size_t count;
};

/* ---- search.c -------------------------------------------------------------------------------------------------------------- */

enum { EXPLORE_BASELINES = 3 };
struct explore {
    struct explore_plan *plan;
    struct explore_store store;
    struct symbols *symbols;
    struct explore_limits limits;
    struct explore_run baseline;
    struct explore_result normal; /* of a run without faults */
    double longest_s, median_s;   /* of the runs without faults */
    bool same;                    /* all of them made the same calls */
    char mpi[32], mode[16];
    struct explore_points points; /* planned at first */
    size_t pairs;                 /* planned on the way */
    size_t left_recoveries;       /* single deaths whose recovery had been seen */
    int64_t until;                /* of the budget, by the clock; 0: none */
    bool budget_over, failures_over;
    int signals, stopped_by;
    struct explore_causes causes;
};
int explore_execute(struct explore_plan *plan);

bool explore_causes_find(struct explore *e);
void explore_causes_repeat(struct explore *e);
void explore_causes_free(struct explore_causes *causes);

int explore_status(const struct explore *e);
void explore_write_text(const struct explore *e, FILE *out);
void explore_write_json(const struct explore *e, FILE *out);
void explore_write_plan(const struct explore *e, FILE *out); /* --dry-run */

#endif
