/* report.h: between `knell run` and the ranks, in the directory KNELL_RUN names: what ranks tell it (a named pipe, one struct a
 * write) and what it tells them (the desk: a file that both map). There is no MPI in here: both sides include it. */
#ifndef KNELL_MPI_REPORT_H
#define KNELL_MPI_REPORT_H

#include <knell/fail.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- what a rank tells --------------------------------------------------------------------------------------------------- */

enum knell__word {
    KNELL__WORD_STARTED = 1, /* the supervisor: value is the rank's pid */
    KNELL__WORD_ENDED,       /* the supervisor: value is its status, as of waitpid */
    KNELL__WORD_INIT,        /* it has called MPI_Init */
    KNELL__WORD_READY,       /* MPI_Init is through; the rank waits for the desk if there is a scenario */
    KNELL__WORD_FINISHED,    /* MPI_Finalize is through */
    KNELL__WORD_ABORTED,     /* MPI_Abort; value is its code; code is not 0: by an error handler, not the program: then the desk has
                              * the error in words */
    KNELL__WORD_LEARNED,     /* `peer` is dead: found by `by`, value is why (enum knell_why) */
    KNELL__WORD_GHOST,       /* it is a ghost from now on */
    KNELL__WORD_DID,         /* value is a call (gen/calls.h), begun at `when`; it took `took` and gave `code` */
    KNELL__WORD_AT,          /* held at a call, value; code is 0 before it and 1 after it */
    KNELL__WORD_INSIDE,      /* the answer to KNELL__ASK_WHERE: value is the call it is inside of, or below; the last one counts. The
                              * desk has it in words. */
    KNELL__WORD_FLIPPED,     /* before the call `value`: `code` bits of what it sends are wrong; -1: it sends nothing */
    KNELL__WORD_COUNTED,     /* in MPI_Finalize: value of its heartbeats were missed, the latest by `took` */
};

/* Well below PIPE_BUF: whole or not at all, however many write. */
struct knell__report {
    int64_t when; /* CLOCK_MONOTONIC */
    int64_t took;
    int64_t value;
    uint64_t group; /* DID: that of the communicator, the same at all its members */
    int32_t process;
    int32_t word;
    int32_t peer;
    int32_t by;
    int32_t code;
    int32_t spare;
};

/* What the thread that got the signal knows by itself. A thread inside a call says more when it comes by, unless the MPI below holds it. */
enum { KNELL__INSIDE_NONE = -1, KNELL__INSIDE_UNSURE = -2 };

/* The signal that asks a rank which call it is inside of: one that hardly any program uses. */
#define KNELL__ASK_WHERE SIGRTMAX

#define KNELL__REPORT_PIPE "reports"
#define KNELL__REPORT_DESK "desk"

/* ---- what a rank is told ------------------------------------------------------------------------------------------------- */

enum { KNELL__DESK_CALLS = 512 };
enum { KNELL__ARMED_BEFORE = 1, KNELL__ARMED_AFTER = 2 };
enum { KNELL__DESK_FLIPS = KNELL_FAIL_ACTIONS_MAX };

enum { KNELL__DESK_PLACE = 256, KNELL__DESK_ERROR = 640 };

/* What the rank writes on its desk: words, for which a report has no room. */
struct knell__desk_words {
    /* CLOCK_MONOTONIC: when the wait began that it was last seen in, and when that was; 0: it has not waited for long yet. */
    _Atomic int64_t waits_since, waits_seen;
    char place[KNELL__DESK_PLACE]; /* "MPI_Recv from rank 2 of MPI_COMM_WORLD" */
    char error[KNELL__DESK_ERROR]; /* with which an error handler ended the job */
};

/* One rank's. All else is written before `answers` is raised. */
struct knell__desk {
    _Atomic uint32_t answers; /* futex: raised when a rank that is held may go on */
    _Atomic uint32_t halt;    /* futex: not 0: the process is to die as a ghost */
    _Atomic uint8_t armed[KNELL__DESK_CALLS];
    uint32_t flips; /* orders for the call before which the rank is held */
    struct knell_fail_flip flip[KNELL__DESK_FLIPS];
    struct knell__desk_words words;
};
_Static_assert(sizeof(struct knell__desk) <= 4096, "a desk has one page, and this is the smallest there is");

#endif
