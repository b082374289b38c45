/* layer.h: what is global in the layer: this process, and what every call looks at on its way in and out. */
#ifndef KNELL_MPI_LAYER_H
#define KNELL_MPI_LAYER_H

#include "job/calls.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define KNELL__LIKELY(x) __builtin_expect(!!(x), 1)
#define KNELL__RARELY(x) __builtin_expect(!!(x), 0)
/* For what calls do when something is wrong: inlined, it would make their usual way longer. */
#define KNELL__RARE __attribute__((cold, noinline))

/* ---- this process ------------------------------------------------------------------------------------------------------- */

/* Set by MPI_Init, constant after. A process is named by its rank in the native MPI_COMM_WORLD. */
struct knell__self {
    int process;
    int processes; /* of the job */
    int host;      /* the lowest process of this host */
    bool threads;  /* MPI_THREAD_MULTIPLE: tables need their locks */
    bool ghosts;   /* deaths by injection are ghosts, not SIGKILL */
    bool crowded;  /* more processes than processors: who waits lets others run */
    bool apart;    /* the processes of this host are in sessions of their own: see knell__let_others_run */
};
extern struct knell__self knell__self;

/* ---- on the way in and out ---------------------------------------------------------------------------------------------- */

enum {
    KNELL__ATTENTION_OFF = 1,    /* before MPI_Init, after MPI_Finalize: calls go to the MPI */
    KNELL__ATTENTION_INJECT = 2, /* a scenario wants to hear of calls */
    KNELL__ATTENTION_GHOST = 4,  /* this process is a ghost: its threads park */
    KNELL__ATTENTION_ASKED = 8,  /* which call is a thread inside of? The first that comes by answers (where.h) */
};
extern _Atomic unsigned knell__attention;

/* Native code that may call MPI itself runs with this above zero: those calls are not the program's. */
extern _Thread_local int knell__guard __attribute__((tls_model("initial-exec")));

/* `arguments`: those of the call, as far as they are numbers, handles or addresses (docs/scenarios.md: $argN). */
KNELL__RARE bool knell__enter_slowly(enum job_call call, const int64_t *arguments, unsigned count);
KNELL__RARE int knell__leave_slowly(enum job_call call, int code);
/* A thread that waits inside a call looks at attention too: a ghost's parks. Who asks where it is: where.h. */
KNELL__RARE void knell__heed(void);

/* False: not the program's call, or not ours to treat. `slowly` is a call of knell__enter_slowly, made only when there is a reason: the
 * arguments of a call are gathered there. */
#define KNELL__ENTER(slowly) \
    (KNELL__LIKELY(atomic_load_explicit(&knell__attention, memory_order_relaxed) == 0 && knell__guard == 0) || (slowly))

/* A call of the program's returns an error: if the MPI below has raised it and the layer has not, it is raised now (errhandler.c). */
KNELL__RARE void knell__leave_failed(int code);

static inline int knell__leave(enum job_call call, int code)
{
    if (KNELL__RARELY(code != MPI_SUCCESS))
        knell__leave_failed(code);
    if (KNELL__LIKELY(atomic_load_explicit(&knell__attention, memory_order_relaxed) == 0))
        return code;
    return knell__leave_slowly(call, code);
}

/* CLOCK_MONOTONIC. */
int64_t knell__now_ns(void);
static inline int64_t knell__now_ms(void)
{
    return knell__now_ns() / 1000000;
}

/* One line on standard error: "knell: rank 3: ...". */
void knell__say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, then the whole job is aborted: for what cannot be gone on from. */
_Noreturn void knell__die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the whole job. */
int knell__abort(int code);

#endif
