/* live.h: what the files of `knell live` share.
 *
 *   live.c         options, and the order of things           live_child.c    one process with a detector
 *   live_run.c     processes, injections, the log             live_judge.c    the log against what was injected
 *   live_report.c  timeline, table, JSON                      live_notes.c    from the children to the parent
 *
 * The parent judges by its own log: when it killed or stopped whom, and what the children noted and when. All clocks are
 * CLOCK_MONOTONIC of this host. */
#ifndef KNELL_CLI_LIVE_H
#define KNELL_CLI_LIVE_H

#include "cli/options.h"

#include <knell/runtime.h>

#include <stdio.h>
#include <sys/types.h>

enum knell__live_kind { KNELL__LIVE_KILL, KNELL__LIVE_STOP };

struct knell__injection {
    enum knell__live_kind kind;
    knell_rank rank;
    int64_t at;    /* after the start */
    int64_t lasts; /* stop: until it is resumed; 0: for good */
    /* Set while running. */
    int64_t done;    /* when, by the clock; 0: not yet */
    int64_t resumed; /* when, by the clock; 0: not */
};

enum { KNELL__LIVE_MOST = 2 * KNELL_TEXTS_MAX };

struct knell__live_plan {
    int64_t nodes, hosts, eta, delta, duration, wait;
    bool no_shortcuts, json;
    struct knell__injection injection[KNELL__LIVE_MOST];
    size_t injections;
};

/* What a child notes. */
enum knell__live_word { KNELL__LIVE_STARTED, KNELL__LIVE_FAILED, KNELL__LIVE_COUNTED, KNELL__LIVE_BROKEN };
struct knell__live_note {
    enum knell__live_word word;
    knell_rank rank; /* who says so */
    int64_t when;
    union {
        struct {
            knell_rank rank, by;
            enum knell_why why;
        } failed;
        struct {
            uint64_t datagrams, bytes, missed;
            int64_t cpu, span, starved;
        } counted;
    } as;
};

struct knell__live_log {
    struct knell__live_note *note;
    size_t count, room;
    int64_t begin, end; /* by the clock */
    double steal_ms;    /* the most the machine was away within a tenth of a second */
};

/* ---- notes ----------------------------------------------------------------------------------------------------------- */

/* Memory shared by the parent and its children, before they are made; NULL: there is none. A child that writes a note wakes
 * nobody and calls nothing: the parent, which looks now and then, does not take a processor from those it measures. */
struct knell__live_notes *knell__live_notes_new(uint32_t children);
void knell__live_notes_free(struct knell__live_notes *notes);

/* A child's: by any of its threads. The time is set here. */
void knell__live_notes_write(struct knell__live_notes *notes, knell_rank child, struct knell__live_note *note);
/* Of a child that writes KNELL__LIVE_BROKEN afterwards: its one sentence, of KNELL_RUNTIME_WHY bytes. */
char *knell__live_notes_why(struct knell__live_notes *notes, knell_rank child);

/* The parent's: takes what is new of this child, oldest first. */
bool knell__live_notes_take(struct knell__live_notes *notes, knell_rank child, struct knell__live_note *note);

/* ---- the child ------------------------------------------------------------------------------------------------------- */

struct knell__live_child {
    const struct knell__live_plan *plan;
    knell_rank rank;
    pid_t parent;
    struct knell__live_notes *notes;
    int stop;      /* closed by the parent when it is time */
    int listening; /* rank 0's rendezvous */
    const char *rendezvous;
    const uint8_t *key;
    size_t key_size;
};
_Noreturn void knell__live_child(const struct knell__live_child *child);

/* ---- the run --------------------------------------------------------------------------------------------------------- */

/* Runs the plan; `show`, unless NULL, gets a line for each thing that happens. An exit status, after a complaint. */
int knell__live_run(const struct knell_usage *usage, struct knell__live_plan *plan, FILE *show, struct knell__live_log *log);

/* ---- the judgement --------------------------------------------------------------------------------------------------- */

struct knell__detection {
    const struct knell__injection *injection;
    bool expected; /* it must be found: killed, or stopped for delta or longer */
    uint32_t survivors, knowing;
    double first_ms, mean_ms, last_ms;
    knell_rank by;
    enum knell_why why;
};

struct knell__verdict {
    struct knell__detection detection[KNELL__LIVE_MOST];
    uint32_t false_positives; /* processes held for dead that were not stopped or killed */
    uint32_t unknown;         /* survivors that never learned of a death, over all deaths */
    uint64_t missed_deadlines;
    double msgs_per_s, bytes_per_s, cpu_percent; /* of a core, per process */
    double starved_ms;                           /* the longest that a detector ran late */
};

void knell__live_judge(const struct knell__live_plan *plan, const struct knell__live_log *log, struct knell__verdict *verdict);
void knell__live_report(FILE *out, const struct knell__live_plan *plan, const struct knell__live_log *log,
                        const struct knell__verdict *verdict);

#endif
