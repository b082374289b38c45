/* live.h: what the files of `knell live` share.
 *
 *   live.c         options, and the order of things           live_child.c    one process with a detector
 *   live_run.c     the parent: the order of a run             live_notes.c    from the children to the parent
 *   live_process.c makes the processes, and leaves none       live_judge.c    the log against what was done
 *   live_act.c     kills, stops and cuts when it is time      live_report.c   table
 *   live_hosts.c   hosts in namespaces                        live_json.c     JSON
 *   live_away.c    when the machine itself was away           live_log.c      every note as a line
 *   live_fail.c    a FAIL scenario acts
 *
 * The parent judges by its own log: when it killed, stopped or cut off whom, and what the children noted and when. All
 * clocks are CLOCK_MONOTONIC of this machine. live_run.h is what the parent's files share. */
#ifndef KNELL_CLI_LIVE_LIVE_H
#define KNELL_CLI_LIVE_LIVE_H

#include "cli/scenario/scenario.h"
#include "cli/common/log.h"
#include "cli/common/options.h"

#include <knell/runtime.h>

#include <stdio.h>
#include <sys/types.h>

/* The command; returns the exit status. */
int live_command(int argc, char **argv);

/* ---- the plan -------------------------------------------------------------------------------------------------------- */

enum live_injection_kind { LIVE_KILL, LIVE_STOP, LIVE_CUT };

/* What is to be done to one process, and what was. */
struct live_injection {
    enum live_injection_kind kind;
    knell_rank rank;
    int64_t at;      /* after the start */
    int64_t lasts;   /* stop: until it is resumed; 0: for good */
    int64_t done;    /* when, by the clock; 0: not yet */
    int64_t resumed; /* when, by the clock; 0: not */
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

/* ---- the log --------------------------------------------------------------------------------------------------------- */

/* What a child notes. GONE: one range of its final view. */
enum live_note_kind { LIVE_NOTE_STARTED, LIVE_NOTE_FAILED, LIVE_NOTE_GONE, LIVE_NOTE_COUNTED, LIVE_NOTE_BROKEN };

struct live_note {
    enum live_note_kind word;
    knell_rank rank; /* who says so */
    int64_t when;
    union {
        struct {
            knell_rank rank, by;
            enum knell_why why;
            uint32_t starved;     /* how often the detector of who says so had run late by then, */
            int64_t starved_most; /* and the longest */
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
    bool stolen; /* by the system's account; else a thread that does nothing but sleep woke late */
};

struct live_record {
    struct live_note *note; /* oldest first */
    size_t count, room;
    int64_t begin, end; /* by the clock */
    bool namespaces;    /* the hosts are such */
    struct live_absence *absence;
    size_t absences;
    bool watched;     /* the processors were watched */
    double steal_s;   /* the most the machine was away within a tenth of a second */
    double longest_s; /* the latest that a watching thread woke */
};

/* ---- notes ----------------------------------------------------------------------------------------------------------- */

/* Memory shared by the parent and its children, before they are made; NULL: there is none. A child that writes a note wakes
 * nobody and calls nothing: the parent, which looks now and then, does not take a processor from those it measures. */
struct live_notes *live_notes_new(uint32_t children);
void live_notes_free(struct live_notes *notes);

/* A child's: by any of its threads. The time is set here. */
void live_notes_write(struct live_notes *notes, knell_rank child, struct live_note *note);
/* Of a child that writes LIVE_NOTE_BROKEN afterwards: its one sentence, of KNELL_RUNTIME_WHY bytes. */
char *live_notes_why(struct live_notes *notes, knell_rank child);

/* The parent's: takes what is new of this child, oldest first. */
bool live_notes_take(struct live_notes *notes, knell_rank child, struct live_note *note);

/* ---- the child ------------------------------------------------------------------------------------------------------- */

struct live_child {
    const struct live_plan *plan;
    knell_rank rank;
    struct live_notes *notes;
    int stop;      /* closed by the parent when it is time to count, */
    int leave;     /*   and when all have counted */
    int listening; /* rank 0's rendezvous */
    const char *rendezvous;
    const char *bind; /* own address; NULL: any */
    const char *host; /* its name; NULL: found out */
    const uint8_t *key;
    size_t key_size;
};
_Noreturn void live_child_run(const struct live_child *child);

/* ---- the run --------------------------------------------------------------------------------------------------------- */

/* Runs the plan; `show`, unless NULL, gets a line for each thing that happens. An exit status, after a complaint. */
int live_execute(const struct usage *usage, struct live_plan *plan, FILE *show, struct live_record *record);

/* Every note and everything done as a line of the file. An exit status. */
int live_log_write(const struct usage *usage, const struct live_plan *plan, const struct live_record *record,
                   struct log *file);

/* ---- the judgement --------------------------------------------------------------------------------------------------- */

struct live_detection {
    const struct live_injection *injection;
    bool expected; /* it must be found: killed, cut off, or stopped for delta or longer */
    uint32_t survivors, knowing;
    double first_s, mean_s, last_s; /* after it was struck */
    knell_rank by;
    enum knell_why why;
};

/* The first word against one that lived. It counts as a false positive, unless the machine was away. */
struct live_false_positive {
    const struct live_note *note;
    bool away; /* the machine was, or just had been */
};

struct live_verdict {
    struct live_detection *detection;  /* by injection */
    struct live_false_positive *wrong; /* oldest first */
    uint32_t wrongs;
    uint32_t false_positives;      /* processes held for dead that were not */
    uint32_t false_positives_away; /* the same, while the machine was away or just after */
    uint32_t unknown;              /* survivors that never learned of a death, over all deaths */
    uint32_t
        wrong_views; /* survivors whose last view was not exactly the dead and those wrongly held for it, or that gave none */
    uint64_t missed_deadlines;
    uint64_t broadcasts, forwarded;              /* started, and passed on, by the survivors */
    double msgs_per_s, bytes_per_s, cpu_percent; /* of a core, per process */
    double starved_s;                            /* the longest that a detector ran late */
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
