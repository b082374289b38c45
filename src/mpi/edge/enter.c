/* enter.c: the slow way in and out. */
#include "mpi/edge/enter.h"
#include "mpi/comm/comm.h"
#include "mpi/inject/ghost.h"
#include "mpi/inject/inject.h"
#include "mpi/native/native.h"
#include "mpi/report/tell.h"
#include "mpi/wait/where.h"

void knell__heed(void)
{
    unsigned attention = atomic_load(&knell__attention);
    if (attention & KNELL__ATTENTION_GHOST)
        knell__park();
    if (attention & KNELL__ATTENTION_ASKED)
        knell__where_answer(NULL);
}

bool knell__enter_slowly(enum job_call call, const int64_t *arguments, unsigned count)
{
    unsigned attention = atomic_load(&knell__attention);
    if (attention & KNELL__ATTENTION_OFF)
        knell__native_ready();
    if ((attention & KNELL__ATTENTION_OFF) || knell__guard)
        return false;
    if (attention & KNELL__ATTENTION_GHOST)
        knell__park();
    if (attention & KNELL__ATTENTION_INJECT)
        knell__inject_before(call, arguments, count);
    return true;
}

int knell__leave_slowly(enum job_call call, int code)
{
    unsigned attention = atomic_load(&knell__attention);
    knell__heed(); /* on the way out: a call that waits has said more by then */
    if (attention & KNELL__ATTENTION_INJECT)
        knell__inject_after(call);
    return code;
}

int64_t knell__tell_begin(void)
{
    return knell__is_heard() ? knell__now_ns() : 0;
}

void knell__tell_did(int call, MPI_Comm handle, int64_t began, int code)
{
    bool of_interest = call == JOB_CALL_COMM_REVOKE || call == JOB_CALL_COMM_SHRINK || call == JOB_CALL_COMM_AGREE;
    const struct knell__comm *comm = began && of_interest ? knell__comm_of(handle) : NULL;
    if (comm)
        knell__announce((struct job_report){.word = JOB_WORD_DID,
                                            .value = call,
                                            .group = comm->id,
                                            .when = began,
                                            .took = knell__now_ns() - began,
                                            .code = code});
}
