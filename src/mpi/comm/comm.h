/* comm.h: virtual communicators: a group, a rank, a place for messages. Nothing native but the handle.
 *
 * A communicator is found by its handle in a table that is read without a lock. It lives until it is freed and its last
 * request is done (`references`). */
#ifndef KNELL_MPI_COMM_COMM_H
#define KNELL_MPI_COMM_COMM_H

#include "mpi/base/layer.h"
#include "mpi/comm/hints.h"
#include "mpi/context/context.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>

/* A member is known dead. Spoiled: a collective failed for another reason, and left messages behind. Drains: somebody was asked to
 * throw away what was sent to it (doubt.h). */
enum { KNELL__REVOKED = 1, KNELL__DEAD = 2, KNELL__SPOILED = 4, KNELL__DRAINS = 8 };

/* How often MPI_Comm_create_group was called with the same arguments (create/group.c). */
struct knell__same_call {
    struct knell__same_call *next;
    uint64_t key, count;
};

struct knell__comm {
    /* What every call reads. */
    _Atomic unsigned trouble; /* KNELL__REVOKED, _DEAD, _SPOILED: set, never cleared */
    int rank;
    int size;
    const int *process_of; /* by rank */
    const int *rank_of;    /* by process; -1: no member */
    struct knell__place place;
    unsigned sequence;     /* of collectives, the same at all members */
    _Atomic int under_way; /* collectives begun here and not over or given up */

    struct knell__hints hints;

    MPI_Comm handle; /* the program's */
    bool named;      /* by the program, natively on the handle */
    MPI_Comm store;  /* where attributes are kept natively: the handle, or a duplicate of self for the predefined two */
    MPI_Comm errors; /* where its error handler is kept natively: likewise (error/handler.c) */
    MPI_Comm_errhandler_function *on_error; /* called instead of the native one for the predefined two; NULL: unknown */
    uint64_t id;                            /* of its group on the side channel; KNELL_WORLD for the world */
    _Atomic int acked;                      /* so many of its failures are acknowledged, */
    _Atomic uint64_t acked_digest;
    _Atomic int64_t failed_ns;            /* since when a member's death is known here; 0: none is */
    uint32_t *told_from;                  /* coll/out.c; by rank */
    _Atomic int references;               /* the program's handle, and each request */
    struct knell__same_call *group_calls; /* create/group.c */
    struct knell__comm *next;             /* all that are alive */
};

extern struct knell__comm knell__world, knell__selfish;

struct knell__comm *knell__comm_find(MPI_Comm handle);

/* NULL: not one of ours; the native call knows what to say. */
static inline struct knell__comm *knell__comm_of(MPI_Comm handle)
{
    return KNELL__LIKELY(handle == MPI_COMM_WORLD) ? &knell__world : knell__comm_find(handle);
}

static inline bool knell__at_root(MPI_Comm handle, int root)
{
    const struct knell__comm *comm = knell__comm_of(handle);
    return comm && comm->rank == root;
}

static inline unsigned knell__trouble(const struct knell__comm *comm)
{
    return atomic_load_explicit(&comm->trouble, memory_order_acquire);
}

/* ---- life ---------------------------------------------------------------------------------------------------------------- */

/* MPI_COMM_WORLD and MPI_COMM_SELF. */
void knell__comms_make(void);

/* A communicator of `size` processes (copied) at an agreed place. Known to the side channel when this returns. `place` NULL:
 * not agreed on yet; the side channel knows the group, and can agree in it. */
struct knell__comm *knell__comm_new(const int *process, int size, uint64_t id, const struct knell__place *place,
                                    MPI_Comm handle);
void knell__comm_settle(struct knell__comm *comm, const struct knell__place *place, MPI_Comm handle);
void knell__comm_hold(struct knell__comm *comm);
void knell__comm_release(struct knell__comm *comm);

/* Others that keep something of a communicator forget it when this is called, at its end. Registered once, at MPI_Init. */
void knell__comm_at_end(void (*forget)(const struct knell__comm *comm));

/* The program lets go of the handle: it is not found any more. Then release. */
void knell__comm_unhandle(struct knell__comm *comm);

/* A fresh handle: a duplicate of a pristine MPI_COMM_SELF that returns its errors. */
MPI_Comm knell__handle_make(void);

/* ---- failures of members -------------------------------------------------------------------------------------------------- */

/* Has anything happened yet, to any communicator? */
extern _Atomic bool knell__ever_troubled;
static inline bool knell__troubled(void)
{
    return atomic_load_explicit(&knell__ever_troubled, memory_order_acquire);
}

/* Deaths that are known count at once. The caller raises the epoch after. */
void knell__comm_hint(struct knell__comm *comm, const struct knell__hints *hints);

/* Called by the side channel, which raises the epoch after. */
void knell__comms_failed(int process);
void knell__comms_revoked(uint64_t id);

/* Is a communicator here whose collectives have this place on the wire? Is, or will, this process be in one of them? */
bool knell__comm_is_on_wire(int wire);
bool knell__comm_collects(int wire);

/* The number of known dead members, and their processes in the order they became known (up to `room`). */
int knell__comm_failed(const struct knell__comm *comm, int *process, int room);

#endif
