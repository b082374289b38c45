/* comm.h: virtual communicators: a group, a rank, a place for messages. Nothing native but the handle.
 *
 * A communicator is found by its handle in a table that is read without a lock. It lives until it is freed and its last
 * request is done (`references`). */
#ifndef KNELL_MPI_COMM_COMM_H
#define KNELL_MPI_COMM_COMM_H

#include "mpi/base/layer.h"
#include "mpi/comm/hints.h"
#include "mpi/comm/topology.h"
#include "mpi/context/context.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>

/* A member is known dead. Spoiled: a collective failed for another reason, and left messages behind. Drains: somebody was asked to
 * throw away what was sent to it (doubt.h). */
enum { COMM_REVOKED = 1, COMM_DEAD = 2, COMM_SPOILED = 4, COMM_DRAINS = 8 };

/* How often it was asked for the same new communicator (create/unborn.c). */
struct comm_same_call {
    struct comm_same_call *next;
    uint64_t key, count;
};

struct comm {
    /* What every call reads. */
    _Atomic unsigned trouble; /* COMM_REVOKED and so on: set, never cleared */
    int rank;
    int size;              /* of the group that messages go to: of an intercommunicator the remote one */
    const int *process_of; /* by rank in it; those of an intercommunicator's local group follow (comm_local) */
    const int *rank_of;    /* by process, the index in process_of; -1: no member */
    struct place place;
    unsigned sequence;     /* of collectives, the same at all members */
    uint32_t persistent;   /* collectives that were made persistent, likewise */
    _Atomic int under_way; /* collectives begun here and not over or given up */

    struct hints hints;
    int local;                 /* the size of the local group of an intercommunicator; 0: it is none */
    int members;               /* of both groups */
    struct topology *topology; /* NULL: none */

    MPI_Comm handle; /* the program's */
    bool named;      /* by the program, natively on the handle */
    MPI_Comm store;  /* where attributes are kept natively: the handle, or a duplicate of self for the predefined two */
    MPI_Comm errors; /* where its error handler is kept natively: likewise (error/handler.c) */
    int (*raise)(struct comm *comm, int code); /* where its errors go instead; NULL: to its handler */
    void *owner;                               /* of a file: that */
    MPI_Comm_errhandler_function *on_error; /* called instead of the native one for the predefined two; NULL: unknown */
    uint64_t id;                            /* of its group on the side channel; KNELL_WORLD for the world */
    _Atomic int acked;                      /* so many of its failures are acknowledged, */
    _Atomic uint64_t acked_digest;
    _Atomic int64_t failed_ns;          /* since when a member's death is known here; 0: none is */
    uint32_t *told_from;                /* coll/out.c; by rank */
    _Atomic int references;             /* the program's handle, and each request */
    struct comm_same_call *group_calls; /* create/unborn.c */
    struct comm *next;                  /* all that are alive */
};

extern struct comm comm_world, comm_self;

struct comm *comm_find(MPI_Comm handle);

/* NULL: not one of ours; the native call knows what to say. */
static inline struct comm *comm_of(MPI_Comm handle)
{
    return LIKELY(handle == MPI_COMM_WORLD) ? &comm_world : comm_find(handle);
}

static inline bool comm_is_inter(const struct comm *comm)
{
    return comm->local > 0;
}

/* This member is the root that the call names: in an intercommunicator the root says so itself. */
static inline bool comm_is_root(const struct comm *comm, int root)
{
    return comm_is_inter(comm) ? root == MPI_ROOT : comm->rank == root;
}

static inline bool comm_at_root(MPI_Comm handle, int root)
{
    const struct comm *comm = comm_of(handle);
    return comm && comm_is_root(comm, root);
}

static inline unsigned comm_trouble(const struct comm *comm)
{
    return atomic_load_explicit(&comm->trouble, memory_order_acquire);
}

/* ---- groups --------------------------------------------------------------------------------------------------------------- */

/* The group of which this process is a member: what MPI_Comm_size and MPI_Comm_group tell. */
static inline int comm_local_size(const struct comm *comm)
{
    return comm_is_inter(comm) ? comm->local : comm->size;
}

static inline const int *comm_local(const struct comm *comm)
{
    return comm_is_inter(comm) ? comm->process_of + comm->size : comm->process_of;
}

static inline bool comm_is_local(const struct comm *comm, int process)
{
    return comm->rank_of[process] >= (comm_is_inter(comm) ? comm->size : 0);
}

/* All members stand in one order that is the same at all of them: in an intercommunicator first the group whose first process is the
 * lower one. The place of this member in it, and the index in process_of of the member at some place. */
static inline bool comm_goes_first(const struct comm *comm)
{
    return comm_is_inter(comm) && (comm->size == 0 || comm->process_of[comm->size] < comm->process_of[0]);
}

static inline int comm_at_place(const struct comm *comm, int place)
{
    return comm_goes_first(comm) ? (place + comm->size) % comm->members : place;
}

static inline int comm_place(const struct comm *comm)
{
    return comm_is_inter(comm) && !comm_goes_first(comm) ? comm->size + comm->rank : comm->rank;
}

/* ---- life ---------------------------------------------------------------------------------------------------------------- */

/* MPI_COMM_WORLD and MPI_COMM_SELF. */
void comm_make_predefined(void);

/* The processes of a communicator; of an intercommunicator the remote group, and after it `local` of the local group. */
struct comm_group {
    const int *process;
    int size, local;
};

/* A communicator of these processes (copied) at an agreed place. Known to the side channel when this returns. `place` NULL:
 * not agreed on yet; the side channel knows the group, and can agree in it. */
struct comm *comm_new(const struct comm_group *group, uint64_t id, const struct place *place, MPI_Comm handle);
void comm_settle(struct comm *comm, const struct place *place, MPI_Comm handle);
void comm_hold(struct comm *comm);
void comm_release(struct comm *comm);

/* Others that keep something of a communicator forget it when this is called, at its end. Registered once, at MPI_Init. */
void comm_at_end(void (*forget)(const struct comm *comm));

/* The program lets go of the handle: it is not found any more. Then release. */
void comm_unhandle(struct comm *comm);

/* Those that the program has made and not freed. */
int comm_count(void);

/* A fresh handle: a duplicate of a pristine MPI_COMM_SELF that returns its errors. */
MPI_Comm comm_handle_make(void);

/* ---- failures of members -------------------------------------------------------------------------------------------------- */

/* Has anything happened yet, to any communicator? */
extern _Atomic bool comm_ever_troubled;
static inline bool comm_any_trouble(void)
{
    return atomic_load_explicit(&comm_ever_troubled, memory_order_acquire);
}

/* Deaths that are known count at once. The caller raises the epoch after. */
void comm_hint(struct comm *comm, const struct hints *hints);

/* Called by the side channel, which raises the epoch after. */
void comm_note_failure(int process);
void comm_note_revoke(uint64_t id);

/* Is a communicator here whose collectives have this place on the wire? Is, or will, this process be in one of them? */
bool comm_is_on_wire(int wire);
bool comm_collects(int wire);

/* The number of known dead members, and their processes in the order they became known (up to `room`). */
int comm_failed(const struct comm *comm, int *process, int room);
/* Is one dead, and not acknowledged, who could have sent a message on this communicator? */
bool comm_lacks_sender(const struct comm *comm);

#endif
