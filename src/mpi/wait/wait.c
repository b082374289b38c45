/* wait.c: see wait.h. */
#include "mpi/wait/wait.h"
#include "mpi/abandon/drain.h"
#include "mpi/detector/silence.h"
#include "mpi/error/error.h"
#include "mpi/wait/doubt.h"

#include <knell/mpix.h>
#include <time.h>

/* LAST_TESTS: how often an operation that cannot complete any more is tested all the same: what came before the death may lie
 * unread in the transport. DEAD_MS: a ghost serves others for as long as it is there, but may have been killed in earnest; who was
 * killed is silent long before. */
enum { LAST_TESTS = 64, DEAD_MS = 2000 };

static int check_dead(const struct knell__comm *comm, int peer)
{
    if (peer >= 0)
        return knell__is_dead(peer) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
    if (peer == KNELL__ANYBODY)
        return knell__comm_failed(comm, NULL, 0) > comm->acked ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
    return peer == KNELL__EVERYBODY ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

int knell__op_check(const struct knell__comm *comm, int peer)
{
    unsigned trouble = knell__trouble(comm);
    if (trouble & KNELL__REVOKED)
        return MPIX_ERR_REVOKED;
    return trouble & KNELL__DEAD ? check_dead(comm, peer) : MPI_SUCCESS;
}

/* ---- giving up ------------------------------------------------------------------------------------------------------------- */

/* The dead touch nothing any more, once they are silent. Whoever filled a receive from any source may be among them, and may not. */
int64_t knell__patience(const struct knell__comm *comm, int peer)
{
    bool dead = peer >= 0 ? knell__is_dead(peer) : (knell__trouble(comm) & KNELL__DEAD) != 0;
    if (!dead)
        return INT64_MAX;
    return peer >= 0 && !knell__self.ghosts && knell__is_silent(peer) ? 0 : DEAD_MS;
}

static bool tested(MPI_Request *request, MPI_Status *status, int times)
{
    int complete = 0, code = MPI_SUCCESS;
    for (int i = 0; !complete && code == MPI_SUCCESS && i < times; i++)
        code = knell__native.test(request, &complete, status);
    return code == MPI_SUCCESS && complete;
}

static bool looked_at(MPI_Request *request, MPI_Status *status)
{
    knell__native_look_quickly();
    bool complete = tested(request, status, LAST_TESTS);
    knell__native_look_idly();
    return complete;
}

/* Until the MPI below lets go of it, or the other end is no more. */
static bool tested_to_the_end(const struct knell__op *op, MPI_Request *request, MPI_Status *status)
{
    int64_t start = knell__now_ms();
    bool complete = looked_at(request, status), last = false;
    for (unsigned turns = KNELL__PATIENCE; !complete && !last && *request != MPI_REQUEST_NULL;
         knell__idle_op(&turns, op)) {
        last = knell__now_ms() - start >= knell__patience(op->comm, op->peer);
        complete = tested(request, status, 1);
    }
    return complete;
}

/* A receive is cancelled. If it had been matched the cancel does nothing, and it ends when its sender does its part. */
static bool give_up_receive(const struct knell__op *op, MPI_Request *request, MPI_Status *status)
{
    MPI_Status end;
    int cancelled = 0;
    knell__native.cancel(request);
    if (!tested_to_the_end(op, request, &end)) {
        *request = MPI_REQUEST_NULL;
        return false;
    }
    knell__native.test_cancelled(&end, &cancelled);
    if (!cancelled)
        knell__status_set(status, &end);
    return !cancelled;
}

/* A send cannot be cancelled: its receiver is asked to take it. Who knows then whether it was received or thrown away. One who was
 * killed asks for no buffer any more (far_memory.c). */
static void give_up_send(const struct knell__op *op, MPI_Request *request)
{
    if (knell__hears(op->peer)) {
        knell__doubt_comm(op->comm);
        knell__drain_ask(op->peer, op->comm->place.context, op->tag);
        tested_to_the_end(op, request, MPI_STATUS_IGNORE);
        knell__drain_end(op->peer, op->comm->place.context, op->tag);
    }
    if (*request != MPI_REQUEST_NULL)
        knell__native.request_free(request);
}

bool knell__give_up(const struct knell__op *op, MPI_Request *request, MPI_Status *status)
{
    if (looked_at(request, status))
        return op->kind == KNELL__REQUEST_RECV || knell__sent(op->comm, op->peer) == MPI_SUCCESS;
    if (*request == MPI_REQUEST_NULL)
        return false;
    if (op->kind == KNELL__REQUEST_RECV)
        return give_up_receive(op, request, status);
    give_up_send(op, request);
    return false;
}

/* Where the kernel schedules sessions (autogroup) and each rank has one, as hydra's have, yielding lets nobody run but oneself: the
 * others would get their turn when this one's slice of milliseconds ends. A nap lets them, for as short as timers go. */
void knell__let_others_run(void)
{
    if (knell__self.apart)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    else
        sched_yield();
}

void knell__heed_waiting(unsigned turns, const struct knell__aim *aim)
{
    unsigned attention = atomic_load(&knell__attention);
    if (attention & KNELL__ATTENTION_ASKED)
        knell__where_answer(aim);
    if (attention & KNELL__ATTENTION_GHOST)
        knell__park();
    knell__where_waits(turns, aim);
}

int knell__wait(struct knell__op *op, MPI_Request *request, MPI_Status *status)
{
    unsigned turns = 0;
    int complete = 0;
    if (KNELL__RARELY(op->code != MPI_SUCCESS))
        return knell__give_up(op, request, status) ? MPI_SUCCESS : op->code;
    for (;;) {
        int code = knell__native.test(request, &complete, status);
        if (KNELL__RARELY(code != MPI_SUCCESS))
            return knell__error_confirm(op->peer, code);
        if (complete)
            return op->kind == KNELL__REQUEST_SEND ? knell__sent(op->comm, op->peer) : MPI_SUCCESS;
        if (KNELL__RARELY(knell__op_hit(op)))
            return knell__give_up(op, request, status) ? MPI_SUCCESS : op->code;
        knell__idle_op(&turns, op);
    }
}
