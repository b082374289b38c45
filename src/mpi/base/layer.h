/* layer.h: what is global in the layer: this process, what every call looks at on its way in and out, the layer's voice. */
#ifndef KNELL_MPI_BASE_LAYER_H
#define KNELL_MPI_BASE_LAYER_H

#include "job/calls.h"
#include "os/clock.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define RARELY(x) __builtin_expect(!!(x), 0)
/* For what calls do when something is wrong: inlined, it would make their usual way longer. */
#define RARE __attribute__((cold, noinline))

/* ---- this process ------------------------------------------------------------------------------------------------------- */

/* Set by MPI_Init, constant after. A process is named by its rank in the native MPI_COMM_WORLD. */
struct self {
    int process;
    int processes; /* of the job */
    int host;      /* the lowest process of this host */
    bool threads;  /* MPI_THREAD_MULTIPLE: tables need their locks */
    bool ghosts;   /* deaths by injection are ghosts, not SIGKILL */
    bool crowded;  /* more processes than processors: who waits lets others run */
    bool apart;    /* the processes of this host are in sessions of their own: see wait_let_others_run */
};
extern struct self self;

/* ---- attention ---------------------------------------------------------------------------------------------- */

enum {
    ATTENTION_OFF = 1,     /* before MPI_Init, after MPI_Finalize: calls go to the MPI */
    ATTENTION_INJECT = 2,  /* a scenario wants to hear of calls */
    ATTENTION_GHOST = 4,   /* this process is a ghost: its threads park */
    ATTENTION_ASKED = 8,   /* which call is a thread inside of? The first that comes by answers (where.h) */
    ATTENTION_RECORD = 16, /* calls are recorded (record/calls.h) */
    ATTENTION_COUNT = 32,  /* operations on the MPI below are counted, call by call (inject/inside.h) */
};
extern _Atomic unsigned layer_attention;

/* Native code that may call MPI itself runs with this above zero: those calls are not the program's. */
extern _Thread_local int layer_guard __attribute__((tls_model("initial-exec")));

/* A process that becomes a ghost says here how its threads park, before attention says that it is one. */
void layer_park_by(void (*park)(void));
/* In a thread of a ghost: does not return. */
RARE void layer_park(void);

/* Steps of a call that are no operation of the MPI below, and at which a fault inside of it can strike: counted if somebody wants that. */
void layer_count_by(void (*by)(void));
void layer_step(void);

/* Not 0: those who wait have something to advance (request.h). The first trouble of the process adds one for ever: then others may
 * ask this process for something. */
extern _Atomic int layer_tasks;

/* ---- the process below and around ----------------------------------------------------------------------------------------- */

/* The next definition behind the layer's own; NULL: the MPI lacks it, and nobody can have linked to it either. */
void *layer_symbol(const char *name);

/* CLOCK_MONOTONIC. */
static inline int64_t now_ms(void)
{
    return knell__clock_now() / 1000000;
}

/* One line on standard error: "knell: rank 3: ...". */
void layer_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, then the whole job is aborted: for what cannot be gone on from. */
_Noreturn void layer_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the whole job. */
int layer_abort(int code);

#endif
