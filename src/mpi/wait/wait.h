/* wait.h: the one way to wait, and what a death means for an operation (docs/design/mpi.md, rules 3 and 4).
 *
 *      struct op op = op_begin(comm, peer, kind);      epoch, then trouble
 *      if (op.code == MPI_SUCCESS) post natively, then
 *          code = wait_for(&op, &request, status);                test, epoch, test, ...
 */
#ifndef KNELL_MPI_WAIT_WAIT_H
#define KNELL_MPI_WAIT_WAIT_H

#include "mpi/base/layer.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"
#include "mpi/request/request.h"
#include "mpi/wait/where.h"

#include <sched.h>

struct op {
    struct comm *comm;
    int peer; /* a process; PEER_ANY: a receive from any source; PEER_ALL: a collective */
    enum request_kind kind;
    int tag;        /* of a send: the native one, for who takes it if it is given up */
    uint32_t epoch; /* up to which failures have been looked at */
    int code;       /* why it cannot be done; MPI_SUCCESS: it can */
};

/* What the failures known now mean for an operation with this peer: MPI_SUCCESS, MPIX_ERR_REVOKED, MPIX_ERR_PROC_FAILED. */
RARE int op_check(const struct comm *comm, int peer);

static inline struct op op_begin(struct comm *comm, int peer, enum request_kind kind)
{
    struct op op = {.comm = comm, .peer = peer, .kind = kind, .epoch = side_epoch_now(), .code = MPI_SUCCESS};
    if (RARELY(comm_trouble(comm)))
        op.code = op_check(comm, peer);
    return op;
}

/* True when something happened since the last look that the operation cannot survive; op->code says what. */
static inline bool op_hit(struct op *op)
{
    uint32_t now = side_epoch_now();
    if (LIKELY(now == op->epoch))
        return false;
    op->epoch = now;
    op->code = comm_trouble(op->comm) ? op_check(op->comm, op->peer) : MPI_SUCCESS;
    return op->code != MPI_SUCCESS;
}

/* So many turns before a processor that others need is given away: about as long as a small message takes. */
enum { WAIT_SPINS = 32 };
RARE void wait_let_others_run(void);

/* So often, in turns, does who waits say so (where.h): where each turn lets others run it may take milliseconds. */
enum { WAIT_SAY_EVERY = 256, WAIT_SAY_EVERY_CROWDED = 8 };
RARE void wait_heed(unsigned turns, const struct where_aim *aim);

/* One turn of waiting in vain: tasks go on; on a crowded machine the processor is given away after a while. True: what is waited for is
 * to be said (wait_heed). */
static inline bool wait_idle_turn(unsigned *turns)
{
    if (RARELY(atomic_load_explicit(&layer_tasks, memory_order_relaxed) != 0))
        task_advance_all();
    bool heeds =
        (atomic_load_explicit(&layer_attention, memory_order_relaxed) & (ATTENTION_GHOST | ATTENTION_ASKED)) != 0;
    if (LIKELY(++*turns <= WAIT_SPINS))
        return RARELY(heeds);
    if (self.crowded)
        wait_let_others_run();
    return heeds || *turns % (self.crowded ? WAIT_SAY_EVERY_CROWDED : WAIT_SAY_EVERY) == 0;
}

static inline void wait_idle_at(unsigned *turns, const struct comm *comm, int peer, enum request_kind kind)
{
    if (wait_idle_turn(turns))
        wait_heed(*turns, &(struct where_aim){comm, peer, kind});
}

/* For all of a communicator; NULL: for nobody in particular. */
static inline void wait_idle(unsigned *turns, const struct comm *comm)
{
    wait_idle_at(turns, comm, PEER_ALL, REQUEST_TASK);
}

static inline void wait_idle_op(unsigned *turns, const struct op *op)
{
    wait_idle_at(turns, op->comm, op->peer, op->kind);
}

static inline void wait_idle_request(unsigned *turns, const struct request *known)
{
    wait_idle_at(turns, known->comm, known->peer, known->kind);
}

/* Waits for a posted native request. On an error of ours the request is given up and MPI_REQUEST_NULL. */
int wait_for(struct op *op, MPI_Request *request, MPI_Status *status);

/* The operation cannot complete: takes it back from the MPI below. When this returns nobody uses its buffer any more. True: it
 * had completed after all, with *status. */
RARE bool wait_give_up(const struct op *op, MPI_Request *request, MPI_Status *status);

/* The error field is for calls that complete several; the others leave it as it is. */
static inline void wait_status_set(MPI_Status *status, const MPI_Status *from)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    int error = status->MPI_ERROR;
    *status = *from;
    status->MPI_ERROR = error;
}

/* How long the other end may take to let go of an operation that is given up, in milliseconds: for ever while it lives. */
int64_t wait_give_up_ms(const struct comm *comm, int peer);
#endif
