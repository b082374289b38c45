/* tune.c: a better one in the place of the native MPI_Test, and sends that are complete when they are posted.
 *
 * Most small sends are complete at once, and all of them have one handle in common: there is nothing to ask the MPI about.
 * MPICH's MPI_Test turns its whole progress engine also for what is complete, and that is a system call over some transports:
 * 0.7 us, as much as a small message takes. Asking for the status turns it only for what is not complete, and is the quickest way
 * to ask; MPI_Wait then has nothing to wait for, and lets go of the request.
 *
 * Open MPI's MPI_Test, where ranks share processors, gives its turn away when there is nothing to do: a good way to wait, but who
 * looks 64 times whether something has come before it gives up waits for 64 turns of all the others. */
#include "mpi/native/tune.h"
#include "mpi/base/layer.h"
#include "mpi/native/native.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

MPI_Request native_request_complete;
bool native_is_let_go_of;
static MPI_Status status_complete; /* of one such send */

#ifdef MPICH
/* As they were: what the table has may lead elsewhere later. */
static struct {
    int (*request_get_status)(MPI_Request request, int *flag, MPI_Status *status);
    int (*wait)(MPI_Request *request, MPI_Status *status);
    int (*waitall)(int count, MPI_Request *requests, MPI_Status *statuses);
} mpi;

static int test_natively(MPI_Request *request, int *flag, MPI_Status *status)
{
    *flag = 0;
    int code = mpi.request_get_status(*request, flag, MPI_STATUS_IGNORE);
    return *flag ? mpi.wait(request, status) : code;
}

/* MPICH counts the holders of its handle. One call lets go of many at little more than the price of one. */
enum { HELD_MOST = 64 };

void native_let_go(void)
{
    static _Thread_local int held __attribute__((tls_model("initial-exec")));
    MPI_Request all[HELD_MOST];
    if (LIKELY(++held < HELD_MOST))
        return;
    for (int i = 0; i < HELD_MOST; i++)
        all[i] = native_request_complete;
    mpi.waitall(HELD_MOST, all, MPI_STATUSES_IGNORE);
    held = 0;
}
#else
static int (*test_natively)(MPI_Request *request, int *flag, MPI_Status *status);
#endif

/* The error field is not for calls that complete one request. */
static void fill(MPI_Status *status)
{
    int error = status->MPI_ERROR;
    *status = status_complete;
    status->MPI_ERROR = error;
}

static int test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (!native_was_complete(*request))
        return test_natively(request, flag, status);
    *request = MPI_REQUEST_NULL;
    *flag = 1;
    if (status != MPI_STATUS_IGNORE)
        fill(status);
    return MPI_SUCCESS;
}

void native_tune(void)
{
#ifdef MPICH
    mpi.request_get_status = native.request_get_status;
    mpi.wait = native.wait;
    mpi.waitall = native.waitall;
#else
    test_natively = native.test;
#endif
    native.test = test;
}

/* Whichever is tested, all of them go on. */
int native_await(MPI_Request *request, int count, void (*look)(void))
{
    int complete = 0, code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; i += complete) {
        code = native.test(&request[i], &complete, MPI_STATUS_IGNORE);
        if (complete)
            continue;
        look();
        sched_yield();
    }
    return code;
}

/* ---- Open MPI's yielding ---------------------------------------------------------------------------------------------------- */

static struct {
    bool (*set)(bool yield); /* says what it was */
    bool yields;
} yielding;

static void learn_yielding(void)
{
#ifdef OPEN_MPI
    yielding.set = (bool (*)(bool))layer_symbol("opal_progress_set_yield_when_idle");
#endif
    yielding.yields = yielding.set && yielding.set(false);
    native_look_idly();
}

void native_look_quickly(void)
{
    if (yielding.yields)
        yielding.set(false);
}

void native_look_idly(void)
{
    if (yielding.yields)
        yielding.set(true);
}

/* ---- once it is initialised ------------------------------------------------------------------------------------------------- */

/* A send to nobody is complete at once. */
void native_learn_complete(void)
{
    learn_yielding();
    MPI_Request request;
    int complete;
    native.isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
    MPI_Request handle = request;
    test_natively(&request, &complete, &status_complete);
    native_request_complete = handle;
}
