/* window.h: windows in memory that the processes of one host share (docs/design/mpi.md, "The life of a window").
 *
 * The memory is the layer's. Its first pages are the control area, by which the members synchronise without a message; the parts of the
 * ranks follow. The handle is a native window of this process alone: names, attributes, error handlers and Fortran handles are
 * natively on it. What is collective goes by `comm`, a communicator of the window's own. */
#ifndef KNELL_MPI_WINDOW_WINDOW_H
#define KNELL_MPI_WINDOW_WINDOW_H

#include "mpi/comm/comm.h"
#include "mpi/native/native.h"
#include "mpi/wait/wait.h"

#include <knell/mpix.h>

/* ---- what the members share ------------------------------------------------------------------------------------------------ */

/* Words that many write, in a cache line of their own. */
struct window_target {
    _Alignas(64) _Atomic uint64_t tickets; /* given out for its lock (turn.c) */
    _Atomic uint32_t busy;                 /* 1 + the process that accumulates into it; 0: nobody */
};

/* The tables have a row for each rank, which that rank writes alone: a word of the dead changes no more. */
struct window_control {
    struct window_target *target;
    _Atomic uint64_t *request;  /* [target][rank]: that it has or wants the target's lock */
    _Atomic uint64_t *posts;    /* [target][origin]: how often it was posted for the origin */
    _Atomic uint64_t *complete; /* [origin][target]: how often the origin was done with it */
};

/* ---- a window --------------------------------------------------------------------------------------------------------------- */

/* Of a rank, where this process sees it. */
struct window_part {
    char *base;
    MPI_Aint size;
    int unit;
};

/* Ranks that a call with a group named. */
struct window_ranks {
    int *rank;
    int count; /* -1: no such epoch */
};

struct window {
    struct window *next;
    MPI_Win handle;
    struct comm *comm;
    int flavor, model;
    void *memory;
    size_t bytes;
    struct window_part *part;
    struct window_control control;

    bool fenced; /* an epoch of MPI_Win_fence may be open */
    bool locked_all;
    bool *locked;                        /* by rank */
    struct window_ranks started, posted; /* MPI_Win_start, MPI_Win_post */
    uint64_t *starts;                    /* by rank: how many of its posts are used up */
};

/* NULL: not one of ours; the native call knows what to say (table.c). */
struct window *window_of(MPI_Win handle);
void window_add(struct window *window);
void window_remove(struct window *window);
void window_delete(struct window *window); /* with its communicator and this process' view of the memory: allocate.c */

/* A code goes once through the handler of the window (raise.c). */
RARE int window_raise_now(struct window *window, int code);
static inline int window_raise(struct window *window, int code)
{
    return LIKELY(code == MPI_SUCCESS) ? code : window_raise_now(window, code);
}
/* Around a native call on the handle: an error of it that ends the job ends the whole job. */
MPI_Errhandler window_native_enter(const struct window *window);
int window_native_leave(struct window *window, MPI_Errhandler kept, int code);

static inline bool window_revoked(const struct window *window)
{
    return RARELY(comm_trouble(window->comm) & COMM_REVOKED);
}

/* ---- synchronisation (turn.c) ----------------------------------------------------------------------------------------------- */

/* The lock of a target, in order of arrival. A dead process has none. MPI_SUCCESS, or why it cannot be had. */
int turn_take(struct window *window, int target, bool exclusive);
void turn_give(struct window *window, int target);

/* One turn of waiting for `op`'s peer: MPI_SUCCESS, or why it will not come. */
int turn_idle(struct op *op, unsigned *turns);

/* For a moment, among those who accumulate into one target. */
void busy_take(struct window *window, int target);
void busy_give(struct window *window, int target);

/* ---- access (access.c) ------------------------------------------------------------------------------------------------------ */

/* Where `count` elements at `disp` of a rank are: *at, NULL if the rank is MPI_PROC_NULL. */
int access_find(struct window *window, int rank, MPI_Aint disp, int count, MPI_Datatype type, char **at);
/* As coll_copy, with a code. */
int access_copy(const void *from, int from_count, MPI_Datatype from_type, void *into, int into_count,
                MPI_Datatype into_type);
/* A request that is complete already; or the error is raised. */
int access_request(struct window *window, int code, MPI_Request *request);

#endif
