/* live.h: what the files of `knell live` share.
 *
 *     live.c     options, order of the command             child.c   one process with a detector
 *     run.c      the parent: the phases of a run           notes.c   notes from the children to the parent
 *     process.c  starts the processes, leaves none behind  judge.c   compares the record with what was done
 *     act.c      kills, stops and cuts                     report.c  the verdict as text
 *     hosts.c    hosts in namespaces                       json.c    the verdict as JSON
 *     absence.c  when the machine itself was away          log.c     --log: every note as a line
 *     fail.c     a FAIL scenario acts
 *
 * The parent judges by its own record: whom it killed, stopped or cut off and when, and what the children noted and
 * when. All clocks are CLOCK_MONOTONIC of this machine. run.h is what the files of the parent share. */
#ifndef KNELL_CLI_LIVE_LIVE_H
#define KNELL_CLI_LIVE_LIVE_H

#include "cli/common/log.h"
#include "cli/common/options.h"
#include "cli/scenario/scenario.h"

#include <knell/runtime.h>

#include <stdio.h>
#include <sys/types.h>

/* The command; returns the exit status. */
int live_command(int argc, char **argv);

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

enum live_injection_kind { LIVE_KILL, LIVE_STOP, LIVE_CUT };

/* What is to be done to one process, and what has been done. */
struct live_injection {
    enum live_injection_kind kind;
    knell_rank rank;
    int64_t at;      /* after the start */
    int64_t lasts;   /* stop: until it is resumed; 0: for good */
    int64_t done;    /* when, by the clock; 0: not yet */
    int64_t resumed; /* when, by the clock; 0: not yet */
};

struct live_injections {
    struct live_injection *item;
    size_t count, room;
};

/* NULL: no memory. The pointer lives until the next is added. */
struct live_injection *live_injections_add(struct live_injections *injections, struct live_injection injection);

struct live_plan {
    int64_t ranks, hosts, eta, delta, duration, settle, wait, seed; /* settle 0: none */
    int overlay;                                                    /* enum knell_overlay */
    bool latest_only, no_shortcuts, ordinary, json;
    const char *log;  /* file; NULL: none */
    const char *fail; /* scenario; NULL: none */
    struct texts defines;
    struct live_injections injections;
    bool has_cuts;
};

/* Ranks are spread over the hosts, 0 to hosts - 1, in blocks. */
static inline int live_host_of(const struct live_plan *plan, knell_rank rank)
{
    return (int)(rank * plan->hosts / plan->ranks);
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

/* The kinds of notes of a child. LIVE_NOTE_GONE is one range of its final view. */
enum live_note_kind { LIVE_NOTE_STARTED, LIVE_NOTE_FAILED, LIVE_NOTE_GONE, LIVE_NOTE_COUNTED, LIVE_NOTE_BROKEN };

struct live_note {
    enum live_note_kind word;
    knell_rank rank; /* its author */
    int64_t when;
    union {
        struct {
            knell_rank rank, by;
            enum knell_why why;
            uint32_t starved;     /* how often the author's detector had run late by then, */
            int64_t starved_most; /* and the longest delay */
        } failed;
        struct knell_range gone;
        struct {
            uint64_t datagrams, bytes, missed, broadcasts, forwarded;
            int64_t cpu, span, starved;
            int32_t descriptors_grown, kib_grown; /* since the start */
        } counted;
    } as;
};

/* A time in which the machine was away for more than delta / 2. */
struct live_absence {
    int64_t begin, end; /* by the clock */
    int cpu;
    bool stolen; /* by the kernel's account; otherwise a thread that only sleeps woke late */
};

struct live_record {
    struct live_note *note; /* oldest first */
    size_t count, room;
    int64_t begin, end; /* by the clock */
    bool namespaces;    /* the hosts are namespaces */
    struct live_absence *absence;
    size_t absences;
    bool watched;     /* the processors were watched */
    double steal_s;   /* the most time that the hypervisor took within a tenth of a second */
    double longest_s; /* the longest delay of a watching thread */
};

/* ---- notes ------------------------------------------------------------------------------------------------------- */

/* Memory that the parent shares with its children; to be made before them. NULL: no memory. A child that writes a
 * note makes no system call and wakes no process: the parent polls, so that it does not take a processor from the
 * processes it measures. */
struct live_notes *live_notes_new(uint32_t children);
void live_notes_free(struct live_notes *notes);

/* For a child, from any of its threads. Sets the time of the note. */
void live_notes_write(struct live_notes *notes, knell_rank child, struct live_note *note);
/* Room for the error message of a child, KNELL_RUNTIME_WHY bytes; the child then writes LIVE_NOTE_BROKEN. */
char *live_notes_why(struct live_notes *notes, knell_rank child);

/* For the parent: takes the oldest note of this child that it has not read. False: there is none. */
bool live_notes_take(struct live_notes *notes, knell_rank child, struct live_note *note);

/* ---- the child --------------------------------------------------------------------------------------------------- */

struct live_child {
    const struct live_plan *plan;
    knell_rank rank;
    struct live_notes *notes;
    int stop;      /* the parent closes it when it is time to count, */
    int leave;     /* and this one when all have counted */
    int listening; /* rank 0: the socket of the rendezvous */
    const char *rendezvous;
    const char *bind; /* own address; NULL: any */
    const char *host; /* its name; NULL: the child finds it out */
    const uint8_t *key;
    size_t key_size;
};
_Noreturn void live_child_run(const struct live_child *child);

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* Runs the plan. `show`, unless NULL, gets a line for each event. Returns an exit status, after a complaint. */
int live_execute(const struct usage *usage, struct live_plan *plan, FILE *show, struct live_record *record);

/* Writes every note and every injection as a line of the file. Returns an exit status. */
int live_log_write(const struct usage *usage, const struct live_plan *plan, const struct live_record *record,
                   struct log *file);

/* ---- the judgement ----------------------------------------------------------------------------------------------- */

struct live_detection {
    const struct live_injection *injection;
    bool expected; /* it must be detected: killed, cut off, or stopped for delta or longer */
    uint32_t survivors, knowing;
    double first_s, mean_s, last_s; /* after the injection */
    knell_rank by;
    enum knell_why why;
};

/* The first note that calls a living process dead. It counts as a false positive, unless the machine was away. */
struct live_false_positive {
    const struct live_note *note;
    bool away; /* the machine was away, or just had been */
};

struct live_verdict {
    struct live_detection *detection;  /* by injection */
    struct live_false_positive *wrong; /* oldest first */
    uint32_t wrongs;
    uint32_t false_positives;      /* living processes that were declared dead */
    uint32_t false_positives_away; /* the same, while the machine was away or just after */
    uint32_t unknown;              /* survivors that never learned of a death, over all deaths */
    uint32_t
        wrong_views; /* survivors whose last view was not exactly the dead and the false positives, or that gave none */
    uint64_t missed_deadlines;
    uint64_t broadcasts, forwarded;              /* started, and passed on, by the survivors */
    double msgs_per_s, bytes_per_s, cpu_percent; /* per process; percent of a core */
    double starved_s;                            /* the longest delay of a detector */
    int32_t descriptors_grown, kib_grown;        /* the most of any survivor, since its start */
};

/* False: no memory. */
bool live_judge(const struct live_plan *plan, const struct live_record *record, struct live_verdict *verdict);
void live_verdict_free(struct live_verdict *verdict);

const char *live_injection_text(enum live_injection_kind kind);
void live_report(FILE *out, const struct live_plan *plan, const struct live_record *record,
                 const struct live_verdict *verdict);
void live_json(FILE *out, const struct live_plan *plan, const struct live_record *record,
               const struct live_verdict *verdict);

#endif
