/* wait.h: the one way to wait, and what a death means for an operation (docs/mpi.md, rules 3 and 4).
 *
 *      struct knell__op op = knell__op_begin(comm, peer, kind);      epoch, then trouble
 *      if (op.code == MPI_SUCCESS) post natively, then
 *          code = knell__wait(&op, &request, status);                test, epoch, test, ...
 */
#ifndef KNELL_MPI_WAIT_WAIT_H
#define KNELL_MPI_WAIT_WAIT_H

#include "mpi/base/layer.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"
#include "mpi/request/request.h"
#include "mpi/wait/where.h"

#include <sched.h>

struct knell__op {
    struct knell__comm *comm;
    int peer; /* a process; KNELL__ANYBODY: a receive from any source; KNELL__EVERYBODY: a collective */
    enum knell__request_kind kind;
    int tag;        /* of a send: the native one, for who takes it if it is given up */
    uint32_t epoch; /* up to which failures have been looked at */
    int code;       /* why it cannot be done; MPI_SUCCESS: it can */
};

/* What the failures known now mean for an operation with this peer: MPI_SUCCESS, MPIX_ERR_REVOKED, MPIX_ERR_PROC_FAILED. */
KNELL__RARE int knell__op_check(const struct knell__comm *comm, int peer);

static inline struct knell__op knell__op_begin(struct knell__comm *comm, int peer, enum knell__request_kind kind)
{
    struct knell__op op = {.comm = comm, .peer = peer, .kind = kind, .epoch = knell__epoch_now(), .code = MPI_SUCCESS};
    if (KNELL__RARELY(knell__trouble(comm)))
        op.code = knell__op_check(comm, peer);
    return op;
}

/* True when something happened since the last look that the operation cannot survive; op->code says what. */
static inline bool knell__op_hit(struct knell__op *op)
{
    uint32_t now = knell__epoch_now();
    if (KNELL__LIKELY(now == op->epoch))
        return false;
    op->epoch = now;
    op->code = knell__trouble(op->comm) ? knell__op_check(op->comm, op->peer) : MPI_SUCCESS;
    return op->code != MPI_SUCCESS;
}

/* So many turns before a processor that others need is given away: about as long as a small message takes. */
enum { KNELL__PATIENCE = 32 };
KNELL__RARE void knell__let_others_run(void);

/* So often, in turns, does who waits say so (where.h): where each turn lets others run it may take milliseconds. */
enum { KNELL__SAY_EVERY = 256, KNELL__SAY_EVERY_CROWDED = 8 };
KNELL__RARE void knell__heed_waiting(unsigned turns, const struct knell__aim *aim);

/* One turn of waiting in vain: tasks go on; on a crowded machine the processor is given away after a while. True: what is waited for is
 * to be said (knell__heed_waiting). */
static inline bool knell__idle_turn(unsigned *turns)
{
    if (KNELL__RARELY(atomic_load_explicit(&knell__tasks_active, memory_order_relaxed) != 0))
        knell__tasks_advance();
    bool heeds = (atomic_load_explicit(&knell__attention, memory_order_relaxed) &
                  (KNELL__ATTENTION_GHOST | KNELL__ATTENTION_ASKED)) != 0;
    if (KNELL__LIKELY(++*turns <= KNELL__PATIENCE))
        return KNELL__RARELY(heeds);
    if (knell__self.crowded)
        knell__let_others_run();
    return heeds || *turns % (knell__self.crowded ? KNELL__SAY_EVERY_CROWDED : KNELL__SAY_EVERY) == 0;
}

static inline void knell__idle_at(unsigned *turns, const struct knell__comm *comm, int peer,
                                  enum knell__request_kind kind)
{
    if (knell__idle_turn(turns))
        knell__heed_waiting(*turns, &(struct knell__aim){comm, peer, kind});
}

/* For all of a communicator; NULL: for nobody in particular. */
static inline void knell__idle(unsigned *turns, const struct knell__comm *comm)
{
    knell__idle_at(turns, comm, KNELL__EVERYBODY, KNELL__REQUEST_TASK);
}

static inline void knell__idle_op(unsigned *turns, const struct knell__op *op)
{
    knell__idle_at(turns, op->comm, op->peer, op->kind);
}

static inline void knell__idle_request(unsigned *turns, const struct knell__request *known)
{
    knell__idle_at(turns, known->comm, known->peer, known->kind);
}

/* Waits for a posted native request. On an error of ours the request is given up and MPI_REQUEST_NULL. */
int knell__wait(struct knell__op *op, MPI_Request *request, MPI_Status *status);

/* The operation cannot complete: takes it back from the MPI below. When this returns nobody uses its buffer any more. True: it
 * had completed after all, with *status. */
KNELL__RARE bool knell__give_up(const struct knell__op *op, MPI_Request *request, MPI_Status *status);

/* The error field is for calls that complete several; the others leave it as it is. */
static inline void knell__status_set(MPI_Status *status, const MPI_Status *from)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    int error = status->MPI_ERROR;
    *status = *from;
    status->MPI_ERROR = error;
}

/* How long the other end may take to let go of an operation that is given up, in milliseconds: for ever while it lives. */
int64_t knell__patience(const struct knell__comm *comm, int peer);
#endif
