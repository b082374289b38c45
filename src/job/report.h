/* report.h: between `knell run` and the ranks, by way of each rank's supervisor (src/exec): what ranks tell it (a pipe to the
 * supervisor, one struct a write) and what it tells them (the desk: memory that the rank shares with its supervisor). From host to host
 * both go by the supervisor's channel (src/channel). There is no MPI in here. */
#ifndef KNELL_JOB_REPORT_H
#define KNELL_JOB_REPORT_H

#include <knell/fail.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what a rank tells --------------------------------------------------------------------------------------------------- */

enum job_word {
    JOB_WORD_STARTED = 1, /* the supervisor: value is the rank's pid, on its host */
    JOB_WORD_ENDED,       /* the supervisor: value is its status, as of waitpid */
    JOB_WORD_INIT,        /* it has called MPI_Init */
    JOB_WORD_READY,       /* MPI_Init is through; the rank waits for the desk if there is a scenario */
    JOB_WORD_FINISHED,    /* MPI_Finalize is through */
    JOB_WORD_ABORTED, /* MPI_Abort; value is its code; code is not 0: by an error handler, not the program: then the desk has
                              * the error in words */
    JOB_WORD_LEARNED, /* `peer` is dead: found by `by`, value is why (enum knell_why) */
    JOB_WORD_GHOST,   /* it is a ghost from now on */
    JOB_WORD_DID,     /* value is a call (job/calls.h), begun at `when`; it took `took` and gave `code` */
    JOB_WORD_AT, /* held at a call, value; code is where (enum job_at). Inside of it: `took` is the operation, `peer` and `group` are
                              * function and count of its desk's stop */
    JOB_WORD_INSIDE, /* the answer to JOB_ASK_WHERE: value is the call it is inside of, or below; the last one counts. The
                              * desk has it in words. */
    JOB_WORD_FLIPPED, /* before the call `value`: `code` bits of what it sends are wrong; -1: it sends nothing */
    JOB_WORD_COUNTED, /* in MPI_Finalize: value of its heartbeats were missed, the latest by `took` */
    JOB_WORD_LEAKED, /* in MPI_Finalize: `code` objects of the kind `value` (enum job_leak) that the program made and did not free */
    JOB_WORD_CHANGED, /* held at a call: the variable `value` of the desk has another value than at the call before */
    JOB_WORD_POSTED, /* the call `value` is through, and did not come to its desk's stop (as for AT): it posted `code` operations */
    JOB_WORD_REFUSED, /* it made the call `value`, which the layer does not carry, for the first time; the program has the error */
    JOB_WORD_LEFT, /* the supervisor: value processes that the rank had started were there when it had ended */
};

enum job_at { JOB_AT_ENTRY, JOB_AT_RETURN, JOB_AT_INSIDE };

enum job_leak { JOB_LEAK_REQUEST, JOB_LEAK_COMM, JOB_LEAK_GROUP, JOB_LEAKS };

/* Well below PIPE_BUF: whole or not at all, however many write. */
struct job_report {
    int64_t when; /* CLOCK_MONOTONIC */
    int64_t took;
    int64_t value;
    uint64_t group; /* DID: that of the communicator, the same at all its members */
    int32_t process;
    int32_t word;
    int32_t peer;
    int32_t by;
    int32_t code;
    int32_t reserved;
};

/* What the thread that got the signal knows by itself. A thread inside a call says more when it comes by, unless the MPI below holds it. */
enum { JOB_INSIDE_NONE = -1, JOB_INSIDE_UNSURE = -2 };

/* The signal that asks a rank which call it is inside of: one that hardly any program uses. */
#define JOB_ASK_WHERE SIGRTMAX

/* Where a rank finds what it shares with its supervisor: "PID:DESK:REPORTS:CALLS:DEATHS", descriptors of that process, opened by way
 * of /proc. A program that a script starts finds them too. REPORTS and CALLS -1: nobody wants any; DEATHS -1: none are told. */
#define JOB_SUPERVISOR "KNELL_SUPERVISOR"

/* ---- what a rank is told ------------------------------------------------------------------------------------------------- */

/* A death that another source than the detector knows of, in the pipe DEATHS, one struct a write: between hosts only. */
struct job_death {
    int32_t rank;
    int32_t why; /* enum knell_why */
};

enum { JOB_DESK_CALLS = 512 };
enum {
    JOB_ARMED_BEFORE = 1,
    JOB_ARMED_AFTER = 2,
    JOB_ARMED_MESSAGE = 4, /* before it sends something, if it does */
};
enum { JOB_DESK_FLIPS = KNELL_FAIL_ACTIONS_MAX };
enum { JOB_DESK_VARIABLES = 32, JOB_DESK_ORDERS = 64 };

/* Are faults allowed to strike now? Shut by the rank (knell_faults_pause), struck by `knell run`, which then kills it at once. */
enum { JOB_SHIELD_OPEN, JOB_SHIELD_SHUT, JOB_SHIELD_STRUCK };

/* A variable that the scenario names. The rank knows where it is, once the program has registered it. */
struct job_desk_variable {
    char name[KNELL_FAIL_NAME_MAX + 1]; /* without the dollar */
    _Atomic uint32_t watched;
};

struct job_desk_value {
    _Atomic int64_t value;  /* at the last call of the rank */
    _Atomic uint32_t known; /* it is registered */
};

struct job_desk_order {
    uint32_t variable;
    uint32_t flips; /* bit `value`, modulo the size, is flipped; else the variable is set to `value` */
    int64_t value;
};

/* Within the call that the rank is held at. */
struct job_desk_stop {
    uint64_t operation; /* before which it is to be held, from 1; 0: none */
    uint64_t count;     /* which call of the function it is */
    uint32_t function;  /* the scenario's name for it */
};

enum { JOB_DESK_PLACE = 256, JOB_DESK_ERROR = 640, JOB_DESK_MPI = 128 };

/* What the rank writes on its desk: words, for which a report has no room. */
struct job_desk_words {
    /* CLOCK_MONOTONIC: when the wait began that it was last seen in, and when that was; 0: it has not waited for long yet. */
    _Atomic int64_t waits_since, waits_seen;
    _Atomic int64_t progress, progress_at; /* of knell_progress, and when it last grew; progress_at 0: never called */
    _Atomic int64_t ignored_first,
        ignored_last;           /* collectives that failed by a death, and the error handler came back: when */
    _Atomic uint32_t ignored;   /* so many */
    _Atomic uint32_t recovers;  /* it has made one of the calls for recovery */
    _Atomic uint32_t deaths;    /* that it has learned of: raised before anything follows from one */
    char place[JOB_DESK_PLACE]; /* "MPI_Recv from rank 2 of MPI_COMM_WORLD" */
    char error[JOB_DESK_ERROR]; /* with which an error handler ended the job */
    char mpi[JOB_DESK_MPI];     /* the version of the MPI below, in its own words */
};

/* Written by `knell run` alone. The supervisor copies it from low to high addresses: `answers`, last, is raised when all else is there. */
struct job_desk_orders {
    _Atomic uint8_t armed[JOB_DESK_CALLS];
    uint32_t inside;    /* the scenario has faults within calls; constant */
    uint32_t variables; /* the scenario names so many; constant */
    struct job_desk_variable variable[JOB_DESK_VARIABLES];
    struct job_desk_order order[JOB_DESK_ORDERS];
    _Atomic uint32_t ordered; /* orders given: a ring */
    uint32_t flips;           /* for the call before which the rank is held */
    struct knell_fail_flip flip[JOB_DESK_FLIPS];
    struct job_desk_stop stop;
    _Alignas(8) _Atomic uint32_t stopped; /* futex: while it is not 0 a ghost to be is held where it comes to a call */
    _Alignas(
        8) _Atomic uint32_t halt; /* futex: not 0: the process is to die as a ghost, or when it takes its shield away */
    _Alignas(8) _Atomic uint32_t answers; /* futex: raised when a rank that is held may go on */
};

/* Between the rank and its supervisor. */
struct job_desk_pact {
    _Alignas(
        8) _Atomic uint32_t left; /* so many calls that are armed pass before one is held: nothing would happen there */
    _Alignas(8) _Atomic uint32_t shield; /* futex */
    _Atomic uint64_t owed;               /* signals to be had when the shield is gone: bit number - 1 */
    _Atomic uint32_t goodbye;            /* the MPI below is about to say goodbye to the launcher */
};

/* Written by the rank; `knell run` has it as of the last report, or of when it last looked. */
struct job_desk_seen {
    uint32_t arguments; /* of the call before which the rank is held */
    int64_t argument[KNELL_FAIL_ARGUMENTS_MAX];
    _Atomic uint32_t obeyed; /* orders carried out */
    struct job_desk_value variable[JOB_DESK_VARIABLES];
    struct job_desk_words words;
};

/* One rank's. */
struct job_desk {
    _Alignas(8) struct job_desk_orders orders;
    struct job_desk_pact pact;
    struct job_desk_seen seen;
};

_Static_assert(sizeof(struct job_desk_orders) % 8 == 0, "the supervisor copies words of eight bytes");

#endif
