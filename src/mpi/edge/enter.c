/* enter.c: the slow way in and out. */
#include "mpi/edge/enter.h"
#include "mpi/comm/comm.h"
#include "mpi/inject/inject.h"
#include "mpi/native/native.h"
#include "mpi/record/calls.h"
#include "mpi/report/tell.h"
#include "mpi/wait/where.h"

void enter_heed(void)
{
    unsigned attention = atomic_load(&layer_attention);
    if (attention & ATTENTION_GHOST)
        layer_park();
    if (attention & ATTENTION_ASKED)
        where_answer(NULL);
}

bool enter_slowly(enum job_call call, const int64_t *arguments, unsigned count, const void *from)
{
    unsigned attention = atomic_load(&layer_attention);
    if (attention & ATTENTION_OFF)
        native_ready();
    if ((attention & ATTENTION_OFF) || layer_guard)
        return false;
    if (attention & ATTENTION_GHOST)
        layer_park();
    if (attention & ATTENTION_RECORD)
        calls_begin(call, arguments, count, from);
    if (attention & ATTENTION_COUNT)
        inject_enter();
    if (attention & ATTENTION_INJECT)
        inject_before(call, arguments, count);
    return true;
}

int leave_slowly(enum job_call call, int code)
{
    unsigned attention = atomic_load(&layer_attention);
    enter_heed(); /* on the way out: a call that waits has said more by then */
    if (attention & ATTENTION_RECORD)
        calls_end(code);
    if (attention & ATTENTION_INJECT)
        inject_after(call);
    return code;
}

int64_t enter_tell_begin(void)
{
    tell_recovers();
    return tell_is_heard() ? knell__clock_now() : 0;
}

void enter_tell_did(int call, MPI_Comm handle, int64_t began, int code)
{
    bool of_interest = call == JOB_CALL_COMM_REVOKE || call == JOB_CALL_COMM_SHRINK || call == JOB_CALL_COMM_AGREE;
    const struct comm *comm = began && of_interest ? comm_of(handle) : NULL;
    if (comm)
        tell_report((struct job_report){.word = JOB_WORD_DID,
                                        .value = call,
                                        .group = comm->id,
                                        .when = began,
                                        .took = knell__clock_now() - began,
                                        .code = code});
}
