/* wait.c: see wait.h. */
#include "mpi/wait/wait.h"
#include "mpi/abandon/drain.h"
#include "mpi/carried/carried.h"
#include "mpi/detector/silence.h"
#include "mpi/error/error.h"
#include "mpi/wait/doubt.h"

#include <knell/mpix.h>
#include <time.h>

/* LAST_TESTS: how often an operation that cannot complete any more is tested all the same: what came before the death may lie
 * unread in the transport. DEAD_MS: a ghost serves others for as long as it is there, but may have been killed in earnest; who was
 * killed is silent long before. */
enum { LAST_TESTS = 64, DEAD_MS = 2000 };

static int check_dead(const struct comm *comm, int peer)
{
    if (peer >= 0)
        return side_is_dead(peer) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
    if (peer == PEER_ANY)
        return comm_lacks_sender(comm) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
    return peer == PEER_ALL ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

int op_check(const struct comm *comm, int peer)
{
    unsigned trouble = comm_trouble(comm);
    if (trouble & COMM_REVOKED)
        return MPIX_ERR_REVOKED;
    return trouble & COMM_DEAD ? check_dead(comm, peer) : MPI_SUCCESS;
}

/* ---- giving up ------------------------------------------------------------------------------------------------------------- */

/* The dead touch nothing any more, once they are silent. Whoever filled a receive from any source may be among them, and may not. */
int64_t wait_give_up_ms(const struct comm *comm, int peer)
{
    bool dead = peer >= 0 ? side_is_dead(peer) : (comm_trouble(comm) & COMM_DEAD) != 0;
    if (!dead)
        return INT64_MAX;
    bool silent = peer >= 0 && (self.ghosts ? silence_is_of_ghost(peer) : silence_of(peer));
    return silent ? 0 : DEAD_MS;
}

static bool tested(MPI_Request *request, MPI_Status *status, int times)
{
    int complete = 0, code = MPI_SUCCESS;
    for (int i = 0; !complete && code == MPI_SUCCESS && i < times; i++)
        code = native.test(request, &complete, status);
    return code == MPI_SUCCESS && complete;
}

static bool looked_at(MPI_Request *request, MPI_Status *status)
{
    native_look_quickly();
    bool complete = tested(request, status, LAST_TESTS);
    native_look_idly();
    return complete;
}

/* Until the MPI below lets go of it, or the other end is no more. */
static bool tested_to_the_end(const struct op *op, MPI_Request *request, MPI_Status *status)
{
    int64_t start = now_ms();
    bool complete = looked_at(request, status), last = false;
    for (unsigned turns = WAIT_SPINS; !complete && !last && *request != MPI_REQUEST_NULL; wait_idle_op(&turns, op)) {
        last = now_ms() - start >= wait_give_up_ms(op->comm, op->peer);
        complete = tested(request, status, 1);
    }
    if (!complete && last && self.ghosts && op->peer >= 0)
        silence_of_ghost(op->peer); /* thousands of operations with it may follow */
    return complete;
}

/* A receive is cancelled. If it had been matched the cancel does nothing, and it ends when its sender does its part. */
static bool give_up_receive(const struct op *op, MPI_Request *request, MPI_Status *status)
{
    MPI_Status end;
    int cancelled = 0;
    native.cancel(request);
    if (!tested_to_the_end(op, request, &end)) {
        *request = MPI_REQUEST_NULL;
        return false;
    }
    native.test_cancelled(&end, &cancelled);
    if (!cancelled)
        wait_status_set(status, &end);
    return !cancelled;
}

/* A send cannot be cancelled: its receiver is asked to take it. Who knows then whether it was received or thrown away. One who was
 * killed asks for no buffer any more (remote_write.c). */
static void give_up_send(const struct op *op, MPI_Request *request)
{
    if (carried_is(*request)) {
        native.cancel(request); /* takes back what nobody has taken; who is reading it ends, or dies */
        tested_to_the_end(op, request, MPI_STATUS_IGNORE);
    } else if (side_reaches(op->peer) && wait_give_up_ms(op->comm, op->peer) > 0) {
        doubt_comm(op->comm);
        drain_ask(op->peer, op->comm->place.context, op->tag);
        tested_to_the_end(op, request, MPI_STATUS_IGNORE);
        drain_end(op->peer, op->comm->place.context, op->tag);
    }
    if (*request != MPI_REQUEST_NULL)
        native.request_free(request);
}

/* A ghost that does not serve: a test with thousands of sends pending takes its time. */
static bool is_silent_ghost(int peer)
{
    return self.ghosts && peer >= 0 && side_is_dead(peer) && silence_is_of_ghost(peer);
}

bool wait_give_up(const struct op *op, MPI_Request *request, MPI_Status *status)
{
    if (is_silent_ghost(op->peer) ? tested(request, status, 1) : looked_at(request, status))
        return op->kind == REQUEST_RECV || doubt_sent(op->comm, op->peer) == MPI_SUCCESS;
    if (*request == MPI_REQUEST_NULL)
        return false;
    if (op->kind == REQUEST_RECV)
        return give_up_receive(op, request, status);
    give_up_send(op, request);
    return false;
}

/* Where the kernel schedules sessions (autogroup) and each rank has one, as hydra's have, yielding lets nobody run but oneself: the
 * others would get their turn when this one's slice of milliseconds ends. A nap lets them, for as short as timers go. */
void wait_let_others_run(void)
{
    if (self.apart)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    else
        sched_yield();
}

void wait_heed(unsigned turns, const struct where_aim *aim)
{
    unsigned attention = atomic_load(&layer_attention);
    if (attention & ATTENTION_ASKED)
        where_answer(aim);
    if (attention & ATTENTION_GHOST)
        layer_park();
    where_waits(turns, aim);
}

int wait_for(struct op *op, MPI_Request *request, MPI_Status *status)
{
    unsigned turns = 0;
    int complete = 0;
    if (RARELY(op->code != MPI_SUCCESS))
        return wait_give_up(op, request, status) ? MPI_SUCCESS : op->code;
    for (;;) {
        int code = native.test(request, &complete, status);
        if (RARELY(code != MPI_SUCCESS))
            return side_confirm_error(op->peer, code);
        if (complete)
            return op->kind == REQUEST_SEND ? doubt_sent(op->comm, op->peer) : MPI_SUCCESS;
        if (RARELY(op_hit(op)))
            return wait_give_up(op, request, status) ? MPI_SUCCESS : op->code;
        wait_idle_op(&turns, op);
    }
}
