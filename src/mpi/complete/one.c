/* one.c: one request: MPI_Wait, MPI_Test and what else is done with one. */
#include "mpi/base/gen/own.h"
#include "mpi/carried/carried.h"
#include "mpi/complete/complete.h"
#include "mpi/p2p/p2p.h"
#include "mpi/request/persistent.h"
#include "mpi/wait/doubt.h"

int complete_trouble(const struct request *known)
{
    if (known->peer == PEER_ALL || !comm_trouble(known->comm))
        return MPI_SUCCESS; /* a task ends itself */
    int code = op_check(known->comm, known->peer);
    if (code == MPIX_ERR_PROC_FAILED && known->peer == PEER_ANY)
        return MPIX_ERR_PROC_FAILED_PENDING;
    return known->kind == REQUEST_TASK ? MPI_SUCCESS : code;
}

/* A communicator that still has its handle outlives its last request. */
struct comm *complete_end(const struct request *known)
{
    struct comm *comm = known->comm->handle == MPI_COMM_NULL ? NULL : known->comm;
    request_drop(known);
    return comm;
}

struct comm *complete_finish(const struct request *known, MPI_Status *status, int *code)
{
    if (known->kind == REQUEST_TASK) {
        *code = known->task->code;
        known->task->release(known->task);
    } else if (known->kind == REQUEST_SEND && *code == MPI_SUCCESS) {
        *code = doubt_sent(known->comm, known->peer);
    } else if (known->kind == REQUEST_RECV && *code != MPIX_ERR_PROC_FAILED && *code != MPIX_ERR_REVOKED) {
        p2p_status(known->comm, known->peer, status); /* one that was given up has none */
    }
    if (*code != MPI_SUCCESS)
        *code = side_confirm_error(known->peer, *code);
    return complete_end(known);
}

bool complete_give_up(const struct request *known, int code, MPI_Request *request, MPI_Status *status)
{
    struct op op = {.comm = known->comm, .peer = known->peer, .kind = known->kind, .code = code};
    if (known->kind == REQUEST_SEND)
        op.tag = known->tag;
    return wait_give_up(&op, request, status);
}

/* ---- MPI_Wait -------------------------------------------------------------------------------------------------------------- */

static int wait_native(MPI_Request *request, MPI_Status *status)
{
    int complete = 0, code = MPI_SUCCESS;
    for (unsigned turns = 0; !complete && code == MPI_SUCCESS; wait_idle(&turns, NULL))
        code = native.test(request, &complete, status);
    return code;
}

/* The token is complete natively once its task is over. */
static int wait_task(const struct request *known, MPI_Request *request, MPI_Status *status)
{
    for (unsigned turns = 0; !atomic_load_explicit(&known->task->over, memory_order_acquire);
         wait_idle_request(&turns, known)) {
        int trouble = turns > 0 ? complete_trouble(known) : MPI_SUCCESS;
        if (RARELY(trouble != MPI_SUCCESS))
            return error_raise(known->comm, trouble); /* a receive that stays pending */
    }
    int code = wait_native(request, status);
    struct comm *comm = complete_finish(known, status, &code);
    return error_raise_on(comm, code);
}

int mpi_wait(MPI_Request *request, MPI_Status *status)
{
    struct request known;
    if (*request == native_request_complete || *request == MPI_REQUEST_NULL || !request_get(*request, &known))
        return wait_native(request, status);
    if (known.kind == REQUEST_TASK)
        return wait_task(&known, request, status);
    if (RARELY(known.kind == REQUEST_PERSISTENT))
        return mpi_wait(&known.persistent->active, status);
    uint32_t epoch = side_epoch_now();
    int complete, code, trouble = complete_trouble(&known);
    for (unsigned turns = 0;; wait_idle_request(&turns, &known)) {
        code = native.test(request, &complete, status);
        if (LIKELY(complete) || RARELY(code != MPI_SUCCESS))
            break;
        if (RARELY(side_epoch_now() != epoch)) {
            epoch = side_epoch_now();
            trouble = complete_trouble(&known);
        }
        if (LIKELY(trouble == MPI_SUCCESS))
            continue;
        if (trouble == MPIX_ERR_PROC_FAILED_PENDING)
            return error_raise(known.comm, trouble);
        code = complete_give_up(&known, trouble, request, status) ? MPI_SUCCESS : trouble;
        break;
    }
    if (code == MPI_SUCCESS && known.kind == REQUEST_RECV)
        p2p_status(known.comm, known.peer, status);
    else if (code == MPI_SUCCESS)
        code = doubt_sent(known.comm, known.peer);
    else if (code != MPI_SUCCESS && code != trouble)
        code = side_confirm_error(known.peer, code);
    struct comm *comm = complete_end(&known);
    return error_raise_on(comm, code);
}

/* ---- MPI_Test -------------------------------------------------------------------------------------------------------------- */

int mpi_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct request known;
    MPI_Request handle = *request;
    if (atomic_load_explicit(&layer_tasks, memory_order_relaxed))
        task_advance_all();
    if (handle == MPI_REQUEST_NULL || !request_get(handle, &known))
        return native.test(request, flag, status);
    if (RARELY(known.kind == REQUEST_PERSISTENT))
        return mpi_test(&known.persistent->active, flag, status);
    int trouble = complete_trouble(&known), code = native.test(request, flag, status);
    if (!*flag && code == MPI_SUCCESS) {
        if (LIKELY(trouble == MPI_SUCCESS))
            return MPI_SUCCESS;
        if (trouble == MPIX_ERR_PROC_FAILED_PENDING)
            return error_raise(known.comm, trouble);
        *flag = 1;
        code = complete_give_up(&known, trouble, request, status) ? MPI_SUCCESS : trouble;
    }
    struct comm *comm = complete_finish(&known, status, &code);
    return error_raise_on(comm, code);
}

/* ---- others ---------------------------------------------------------------------------------------------------------------- */

int mpi_request_free(MPI_Request *request)
{
    return request_detach(request);
}

int mpi_cancel(MPI_Request *request)
{
    struct persistent *persistent = persistent_any() ? persistent_of(*request) : NULL;
    MPI_Request *handle = persistent ? &persistent->active : request;
    return carried_cancel(*handle) ? MPI_SUCCESS : native.cancel(handle);
}

int mpi_request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct request known;
    const struct persistent *persistent = persistent_any() ? persistent_of(request) : NULL;
    if (RARELY(persistent != NULL))
        request = persistent->active;
    task_advance_all();
    int code = native.request_get_status(request, flag, status);
    if (code != MPI_SUCCESS || request == MPI_REQUEST_NULL || !request_get(request, &known))
        return code;
    if (*flag && known.kind == REQUEST_RECV)
        p2p_status(known.comm, known.peer, status);
    return *flag ? MPI_SUCCESS : error_raise(known.comm, complete_trouble(&known));
}
