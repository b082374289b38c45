/* stamped.c: see stamped.h. */
#include "mpi/p2p/stamped.h"
#include "mpi/error/error.h"

#include <knell/mpix.h>
#include <stdlib.h>

/* So many looks after a failure: what came before it may lie unread in the transport. */
enum { LAST_LOOKS = 64 };

/* ---- blocking -------------------------------------------------------------------------------------------------------------- */

int knell__pick_wait(struct knell__pick *pick, MPI_Status *status)
{
    unsigned turns = 0, last = 0;
    while (!knell__pick_turn(pick)) {
        bool failed = pick->op.code != MPI_SUCCESS || knell__op_hit(&pick->op);
        if (failed && ++last > LAST_LOOKS && knell__pick_withdraw(pick))
            return pick->op.code;
        knell__idle_op(&turns, &pick->op);
    }
    if (pick->code != MPI_SUCCESS)
        return knell__error_confirm(pick->op.peer, pick->code);
    return knell__wait(&pick->op, &pick->request, status);
}

int knell__stamped_recv(void *buf, int count, MPI_Datatype datatype, const struct knell__end *from,
                        struct knell__comm *comm, MPI_Status *status)
{
    struct knell__pick pick = {.op = knell__op_begin(comm, from->peer, KNELL__REQUEST_RECV),
                               .from = *from,
                               .buffer = buf,
                               .count = count,
                               .type = datatype};
    if (pick.op.code == MPIX_ERR_REVOKED)
        return pick.op.code;
    knell__pick_post(&pick);
    return knell__pick_wait(&pick, status);
}

/* ---- nonblocking: a pick behind a request token ----------------------------------------------------------------------------- */

struct pick_task {
    struct knell__task task;
    struct knell__pick pick;
    MPI_Status status;
    unsigned last;
    _Atomic bool cancel; /* the program wants it */
    bool cancelled;
};

static int ended(struct pick_task *t, int code)
{
    if (code == MPI_SUCCESS)
        knell__status_translate(t->pick.op.comm, t->pick.op.peer, &t->status);
    return code;
}

/* Still without a message. Any source may be a living one: the request is pending then, and who waits for it is told so. */
static int advance_waiting(struct pick_task *t, bool *done)
{
    struct knell__op *op = &t->pick.op;
    if (op->code == MPI_SUCCESS)
        knell__op_hit(op);
    if (op->peer == KNELL__ANYBODY && op->code == MPIX_ERR_PROC_FAILED)
        op->code = MPI_SUCCESS;
    bool failed = op->code != MPI_SUCCESS && ++t->last > LAST_LOOKS;
    *done = (failed || atomic_load(&t->cancel)) && knell__pick_withdraw(&t->pick);
    t->cancelled = *done && !failed;
    return *done && failed ? op->code : MPI_SUCCESS;
}

static int advance_matched(struct pick_task *t, bool *done)
{
    struct knell__pick *pick = &t->pick;
    int complete = 0, code = pick->code;
    if (code == MPI_SUCCESS)
        code = knell__native.test(&pick->request, &complete, &t->status);
    *done = complete || code != MPI_SUCCESS;
    if (*done)
        return ended(t, code == MPI_SUCCESS ? code : knell__error_confirm(pick->op.peer, code));
    *done = pick->op.code != MPI_SUCCESS || knell__op_hit(&pick->op);
    if (!*done)
        return MPI_SUCCESS;
    return ended(t, knell__give_up(&pick->op, &pick->request, &t->status) ? MPI_SUCCESS : pick->op.code);
}

static int task_advance(struct knell__task *task, bool *done)
{
    struct pick_task *t = (struct pick_task *)task;
    if (knell__pick_turn(&t->pick))
        return advance_matched(t, done);
    return advance_waiting(t, done);
}

static void task_fill(const struct knell__task *task, MPI_Status *status)
{
    const struct pick_task *t = (const struct pick_task *)task;
    if (!t->cancelled)
        *status = t->status;
    else
        knell__native.status_set_cancelled(status, 1);
}

static void task_cancel(struct knell__task *task)
{
    atomic_store(&((struct pick_task *)task)->cancel, true);
}

static void task_release(struct knell__task *task)
{
    struct pick_task *t = (struct pick_task *)task;
    knell__native.type_free(&t->pick.type);
    free(t);
}

/* The program may free the datatype before the message comes: the pick has its own. */
static int start_task(const struct knell__pick *pick, MPI_Request *request)
{
    struct pick_task *t = calloc(1, sizeof *t);
    if (!t)
        return MPI_ERR_NO_MEM;
    t->pick = *pick;
    int code = knell__native.type_dup(pick->type, &t->pick.type);
    if (code != MPI_SUCCESS) {
        free(t);
        return code;
    }
    t->task = (struct knell__task){.advance = task_advance,
                                   .release = task_release,
                                   .fill = task_fill,
                                   .cancel = task_cancel,
                                   .any_source = pick->op.peer == KNELL__ANYBODY};
    knell__pick_post(&t->pick);
    code = knell__request_token(pick->op.comm, &t->task, request);
    if (code != MPI_SUCCESS && knell__pick_withdraw(&t->pick))
        task_release(&t->task);
    return code;
}

int knell__stamped_irecv(void *buf, int count, MPI_Datatype datatype, const struct knell__end *from,
                         struct knell__comm *comm, MPI_Request *request)
{
    struct knell__pick pick = {.op = knell__op_begin(comm, from->peer, KNELL__REQUEST_RECV),
                               .from = *from,
                               .buffer = buf,
                               .count = count,
                               .type = datatype};
    int code;
    if (!knell__anytag_irecv(&pick, request, &code))
        return start_task(&pick, request);
    if (code == MPI_SUCCESS)
        knell__request_put(*request, KNELL__REQUEST_RECV, from->peer, comm, 0);
    return code;
}
