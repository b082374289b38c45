/* groups.c: see groups.h. */
#include "mpi/record/groups.h"

#include <stddef.h>

static _Atomic int alive;

/* What the innermost call of this thread does to groups. A handler called inside such a call may make groups of its own: the outer
 * call has failed then and makes none. */
static _Thread_local struct {
    const MPI_Group *made; /* where the call will write one; NULL: it makes none */
    bool frees;
} now __attribute__((tls_model("initial-exec")));

/* All of them have the new group as their last parameter. */
static bool makes(enum job_call call)
{
    switch (call) {
    case JOB_CALL_COMM_GROUP:
    case JOB_CALL_COMM_REMOTE_GROUP:
    case JOB_CALL_GROUP_UNION:
    case JOB_CALL_GROUP_INTERSECTION:
    case JOB_CALL_GROUP_DIFFERENCE:
    case JOB_CALL_GROUP_INCL:
    case JOB_CALL_GROUP_EXCL:
    case JOB_CALL_GROUP_RANGE_INCL:
    case JOB_CALL_GROUP_RANGE_EXCL:
    case JOB_CALL_COMM_GET_FAILED:
    case JOB_CALL_COMM_FAILURE_GET_ACKED:
    case JOB_CALL_WIN_GET_GROUP:
        return true;
    default:
        return false;
    }
}

void groups_begin(enum job_call call, const int64_t *arguments, unsigned count)
{
    now.made = count > 0 && makes(call) ? (const MPI_Group *)(intptr_t)arguments[count - 1] : NULL;
    const MPI_Group *freed =
        call == JOB_CALL_GROUP_FREE && count == 1 ? (const MPI_Group *)(intptr_t)arguments[0] : NULL;
    now.frees = freed && *freed != MPI_GROUP_EMPTY;
}

void groups_end(int code)
{
    if (code == MPI_SUCCESS && now.made && *now.made != MPI_GROUP_EMPTY && *now.made != MPI_GROUP_NULL)
        atomic_fetch_add(&alive, 1);
    if (code == MPI_SUCCESS && now.frees)
        atomic_fetch_sub(&alive, 1);
    now.made = NULL;
    now.frees = false;
}

int groups_alive(void)
{
    return atomic_load(&alive);
}
