/* wait.c: see wait.h. */
#include "mpi/wait.h"
#include "mpi/error.h"

#include <knell/mpix.h>
#include <time.h>

/* How often an operation that cannot complete any more is tested all the same: what the dead one had sent before may lie
 * unread in the transport. And how long, when the other end is alive: a receive that the cancel came too late for is being
 * filled; a send may be being taken, and if it is not by then, its receiver has not posted, and will not. */
enum { LAST_TESTS = 64, SEND_MS = 100, RECEIVE_MS = 2000 };

static int check_dead(const struct knell__op *op)
{
    if (op->peer >= 0)
        return knell__is_dead(op->peer) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
    if (op->peer == KNELL__ANYBODY)
        return knell__comm_failed(op->comm, NULL, 0) > op->comm->acked ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
    return op->peer == KNELL__EVERYBODY ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

int knell__op_check(const struct knell__op *op)
{
    unsigned trouble = knell__trouble(op->comm);
    if (trouble & KNELL__REVOKED)
        return MPIX_ERR_REVOKED;
    return trouble & KNELL__DEAD ? check_dead(op) : MPI_SUCCESS;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static bool tested(MPI_Request *request, MPI_Status *status, int ms)
{
    int complete = 0;
    int64_t end = now_ms() + ms;
    for (unsigned idle = 0; !complete && (idle < LAST_TESTS || now_ms() < end); knell__idle(&idle))
        if (knell__native.test(request, &complete, status) != MPI_SUCCESS)
            return false;
    return complete;
}

/* A receive is cancelled. If it had been matched the cancel does nothing, and it ends when its sender does its part; a dead
 * one does none, and touches nothing. */
static bool give_up_receive(const struct knell__op *op, MPI_Request *request, MPI_Status *status)
{
    MPI_Status end;
    int cancelled = 0;
    knell__native.cancel(request);
    if (!tested(request, &end, op->peer >= 0 && knell__is_dead(op->peer) ? 0 : RECEIVE_MS)) {
        *request = MPI_REQUEST_NULL;
        return false;
    }
    knell__native.test_cancelled(&end, &cancelled);
    if (!cancelled && status != MPI_STATUS_IGNORE)
        *status = end;
    return !cancelled;
}

bool knell__give_up(const struct knell__op *op, MPI_Request *request, MPI_Status *status)
{
    if (tested(request, status, 0))
        return true;
    if (*request == MPI_REQUEST_NULL)
        return false;
    if (op->kind == KNELL__REQUEST_RECV)
        return give_up_receive(op, request, status);
    bool dead = op->peer >= 0 && knell__is_dead(op->peer);
    if (!dead && tested(request, status, SEND_MS))
        return true;
    knell__native.request_free(request);
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
            return MPI_SUCCESS;
        if (KNELL__RARELY(knell__op_hit(op)))
            return knell__give_up(op, request, status) ? MPI_SUCCESS : op->code;
        knell__idle(&turns);
    }
}
