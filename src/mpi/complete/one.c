/* one.c: one request: MPI_Wait, MPI_Test and what else is done with one. */
#include "mpi/base/gen/own.h"
#include "mpi/complete/complete.h"
#include "mpi/p2p/p2p.h"
#include "mpi/wait/doubt.h"

int knell__request_trouble(const struct knell__request *known)
{
    if (known->peer == KNELL__EVERYBODY || !knell__trouble(known->comm))
        return MPI_SUCCESS; /* a task ends itself */
    int code = knell__op_check(known->comm, known->peer);
    if (code == MPIX_ERR_PROC_FAILED && known->peer == KNELL__ANYBODY)
        return MPIX_ERR_PROC_FAILED_PENDING;
    return known->kind == KNELL__REQUEST_TASK ? MPI_SUCCESS : code;
}

/* A communicator that still has its handle outlives its last request. */
struct knell__comm *knell__request_end(const struct knell__request *known)
{
    struct knell__comm *comm = known->comm->handle == MPI_COMM_NULL ? NULL : known->comm;
    knell__request_drop(known);
    return comm;
}

struct knell__comm *knell__request_finish(const struct knell__request *known, MPI_Status *status, int *code)
{
    if (known->kind == KNELL__REQUEST_TASK) {
        *code = known->task->code;
        known->task->release(known->task);
    } else if (known->kind == KNELL__REQUEST_SEND && *code == MPI_SUCCESS) {
        *code = knell__sent(known->comm, known->peer);
    } else if (known->kind == KNELL__REQUEST_RECV && *code != MPIX_ERR_PROC_FAILED && *code != MPIX_ERR_REVOKED) {
        knell__status_translate(known->comm, known->peer, status); /* one that was given up has none */
    }
    if (*code != MPI_SUCCESS)
        *code = knell__error_confirm(known->peer, *code);
    return knell__request_end(known);
}

bool knell__request_give_up(const struct knell__request *known, int code, MPI_Request *request, MPI_Status *status)
{
    struct knell__op op = {.comm = known->comm, .peer = known->peer, .kind = known->kind, .code = code};
    if (known->kind == KNELL__REQUEST_SEND)
        op.tag = known->tag;
    return knell__give_up(&op, request, status);
}

/* ---- MPI_Wait -------------------------------------------------------------------------------------------------------------- */

static int wait_native(MPI_Request *request, MPI_Status *status)
{
    int complete = 0, code = MPI_SUCCESS;
    for (unsigned turns = 0; !complete && code == MPI_SUCCESS; knell__idle(&turns, NULL))
        code = knell__native.test(request, &complete, status);
    return code;
}

/* The token is complete natively once its task is over. */
static int wait_task(const struct knell__request *known, MPI_Request *request, MPI_Status *status)
{
    for (unsigned turns = 0; !atomic_load_explicit(&known->task->over, memory_order_acquire);
         knell__idle_request(&turns, known)) {
        int trouble = turns > 0 ? knell__request_trouble(known) : MPI_SUCCESS;
        if (KNELL__RARELY(trouble != MPI_SUCCESS))
            return knell__raise(known->comm, trouble); /* a receive that stays pending */
    }
    int code = wait_native(request, status);
    struct knell__comm *comm = knell__request_finish(known, status, &code);
    return knell__raise_on(comm, code);
}

int knell__mpi_wait(MPI_Request *request, MPI_Status *status)
{
    struct knell__request known;
    if (*request == knell__request_complete || *request == MPI_REQUEST_NULL || !knell__request_get(*request, &known))
        return wait_native(request, status);
    if (known.kind == KNELL__REQUEST_TASK)
        return wait_task(&known, request, status);
    uint32_t epoch = knell__epoch_now();
    int complete, code, trouble = knell__request_trouble(&known);
    for (unsigned turns = 0;; knell__idle_request(&turns, &known)) {
        code = knell__native.test(request, &complete, status);
        if (KNELL__LIKELY(complete) || KNELL__RARELY(code != MPI_SUCCESS))
            break;
        if (KNELL__RARELY(knell__epoch_now() != epoch)) {
            epoch = knell__epoch_now();
            trouble = knell__request_trouble(&known);
        }
        if (KNELL__LIKELY(trouble == MPI_SUCCESS))
            continue;
        if (trouble == MPIX_ERR_PROC_FAILED_PENDING)
            return knell__raise(known.comm, trouble);
        code = knell__request_give_up(&known, trouble, request, status) ? MPI_SUCCESS : trouble;
        break;
    }
    if (code == MPI_SUCCESS && known.kind == KNELL__REQUEST_RECV)
        knell__status_translate(known.comm, known.peer, status);
    else if (code == MPI_SUCCESS)
        code = knell__sent(known.comm, known.peer);
    else if (code != MPI_SUCCESS && code != trouble)
        code = knell__error_confirm(known.peer, code);
    struct knell__comm *comm = knell__request_end(&known);
    return knell__raise_on(comm, code);
}

/* ---- MPI_Test -------------------------------------------------------------------------------------------------------------- */

int knell__mpi_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct knell__request known;
    MPI_Request handle = *request;
    if (atomic_load_explicit(&knell__tasks_active, memory_order_relaxed))
        knell__tasks_advance();
    if (handle == MPI_REQUEST_NULL || !knell__request_get(handle, &known))
        return knell__native.test(request, flag, status);
    int trouble = knell__request_trouble(&known), code = knell__native.test(request, flag, status);
    if (!*flag && code == MPI_SUCCESS) {
        if (KNELL__LIKELY(trouble == MPI_SUCCESS))
            return MPI_SUCCESS;
        if (trouble == MPIX_ERR_PROC_FAILED_PENDING)
            return knell__raise(known.comm, trouble);
        *flag = 1;
        code = knell__request_give_up(&known, trouble, request, status) ? MPI_SUCCESS : trouble;
    }
    struct knell__comm *comm = knell__request_finish(&known, status, &code);
    return knell__raise_on(comm, code);
}

/* ---- others ---------------------------------------------------------------------------------------------------------------- */

int knell__mpi_request_free(MPI_Request *request)
{
    return knell__request_detach(request);
}

int knell__mpi_cancel(MPI_Request *request)
{
    return knell__native.cancel(request);
}

int knell__mpi_request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct knell__request known;
    knell__tasks_advance();
    int code = knell__native.request_get_status(request, flag, status);
    if (code != MPI_SUCCESS || request == MPI_REQUEST_NULL || !knell__request_get(request, &known))
        return code;
    if (*flag && known.kind == KNELL__REQUEST_RECV)
        knell__status_translate(known.comm, known.peer, status);
    return *flag ? MPI_SUCCESS : knell__raise(known.comm, knell__request_trouble(&known));
}
