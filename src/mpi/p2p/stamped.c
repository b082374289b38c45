/* stamped.c: see stamped.h. */
#include "mpi/p2p/stamped.h"
#include "mpi/error/error.h"

#include <knell/mpix.h>
#include <stdlib.h>

/* So many looks after a failure: what came before it may lie unread in the transport. */
enum { LAST_LOOKS = 64 };

/* ---- blocking -------------------------------------------------------------------------------------------------------------- */

int pick_wait(struct pick *pick, MPI_Status *status)
{
    unsigned turns = 0, last = 0;
    while (!pick_turn(pick)) {
        bool failed = pick->op.code != MPI_SUCCESS || op_hit(&pick->op);
        if (failed && ++last > LAST_LOOKS && pick_withdraw(pick))
            return pick->op.code;
        wait_idle_op(&turns, &pick->op);
    }
    if (pick->code != MPI_SUCCESS)
        return side_confirm_error(pick->op.peer, pick->code);
    return wait_for(&pick->op, &pick->request, status);
}

int stamped_recv(void *buf, int count, MPI_Datatype datatype, const struct p2p_end *from, struct comm *comm,
                 MPI_Status *status)
{
    struct pick pick = {
        .op = op_begin(comm, from->peer, REQUEST_RECV), .from = *from, .buffer = buf, .count = count, .type = datatype};
    if (pick.op.code == MPIX_ERR_REVOKED)
        return pick.op.code;
    pick_post(&pick);
    return pick_wait(&pick, status);
}

/* ---- nonblocking: a pick behind a request token ----------------------------------------------------------------------------- */

struct pick_task {
    struct task task;
    struct pick pick;
    MPI_Status status;
    unsigned last;
    _Atomic bool cancel; /* the program wants it */
    bool cancelled;
};

static int ended(struct pick_task *t, int code)
{
    if (code == MPI_SUCCESS)
        p2p_status(t->pick.op.comm, t->pick.op.peer, &t->status);
    return code;
}

/* Still without a message. Any source may be a living one: the request is pending then, and who waits for it is told so. */
static int advance_waiting(struct pick_task *t, bool *done)
{
    struct op *op = &t->pick.op;
    if (op->code == MPI_SUCCESS)
        op_hit(op);
    if (op->peer == PEER_ANY && op->code == MPIX_ERR_PROC_FAILED)
        op->code = MPI_SUCCESS;
    bool failed = op->code != MPI_SUCCESS && ++t->last > LAST_LOOKS;
    *done = (failed || atomic_load(&t->cancel)) && pick_withdraw(&t->pick);
    t->cancelled = *done && !failed;
    return *done && failed ? op->code : MPI_SUCCESS;
}

static int advance_matched(struct pick_task *t, bool *done)
{
    struct pick *pick = &t->pick;
    int complete = 0, code = pick->code;
    if (code == MPI_SUCCESS)
        code = native.test(&pick->request, &complete, &t->status);
    *done = complete || code != MPI_SUCCESS;
    if (*done)
        return ended(t, code == MPI_SUCCESS ? code : side_confirm_error(pick->op.peer, code));
    *done = pick->op.code != MPI_SUCCESS || op_hit(&pick->op);
    if (!*done)
        return MPI_SUCCESS;
    return ended(t, wait_give_up(&pick->op, &pick->request, &t->status) ? MPI_SUCCESS : pick->op.code);
}

static int task_advance(struct task *task, bool *done)
{
    struct pick_task *t = (struct pick_task *)task;
    if (pick_turn(&t->pick))
        return advance_matched(t, done);
    return advance_waiting(t, done);
}

static void task_fill(const struct task *task, MPI_Status *status)
{
    const struct pick_task *t = (const struct pick_task *)task;
    if (!t->cancelled)
        *status = t->status;
    else
        native.status_set_cancelled(status, 1);
}

static void task_cancel(struct task *task)
{
    atomic_store(&((struct pick_task *)task)->cancel, true);
}

static void task_release(struct task *task)
{
    struct pick_task *t = (struct pick_task *)task;
    native.type_free(&t->pick.type);
    free(t);
}

/* The program may free the datatype before the message comes: the pick has its own. */
static int start_task(const struct pick *pick, MPI_Request *request)
{
    struct pick_task *t = calloc(1, sizeof *t);
    if (!t)
        return MPI_ERR_NO_MEM;
    t->pick = *pick;
    int code = native.type_dup(pick->type, &t->pick.type);
    if (code != MPI_SUCCESS) {
        free(t);
        return code;
    }
    t->task = (struct task){.advance = task_advance,
                            .release = task_release,
                            .fill = task_fill,
                            .cancel = task_cancel,
                            .any_source = pick->op.peer == PEER_ANY};
    pick_post(&t->pick);
    code = request_token(pick->op.comm, &t->task, request);
    if (code != MPI_SUCCESS && pick_withdraw(&t->pick))
        task_release(&t->task);
    return code;
}

int stamped_irecv(void *buf, int count, MPI_Datatype datatype, const struct p2p_end *from, struct comm *comm,
                  MPI_Request *request)
{
    struct pick pick = {
        .op = op_begin(comm, from->peer, REQUEST_RECV), .from = *from, .buffer = buf, .count = count, .type = datatype};
    int code;
    if (!anytag_irecv(&pick, request, &code))
        return start_task(&pick, request);
    if (code == MPI_SUCCESS)
        request_put(*request, REQUEST_RECV, from->peer, comm, 0);
    return code;
}
