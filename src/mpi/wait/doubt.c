/* doubt.c: see doubt.h. */
#include "mpi/wait/doubt.h"
#include "mpi/wait/wait.h"

#include <knell/mpix.h>
#include <stdlib.h>

_Atomic bool knell__doubts;
static _Atomic bool *ended; /* by process: something was written to it after its end */

void knell__doubts_begin(void)
{
    ended = calloc((size_t)knell__self.processes, sizeof *ended);
    if (!ended)
        knell__die("out of memory");
}

void knell__doubt_process(int process)
{
    atomic_store(&ended[process], true);
    atomic_store(&knell__doubts, true);
}

void knell__doubt_comm(struct knell__comm *comm)
{
    atomic_fetch_or(&comm->trouble, KNELL__DRAINS);
    atomic_store(&knell__doubts, true);
}

/* The kernel may know of an end before the detector does. */
int knell__doubt_verdict(const struct knell__comm *comm, int peer)
{
    if (peer >= 0 && atomic_load(&ended[peer]))
        return knell__side_confirm(peer) ? MPIX_ERR_PROC_FAILED : MPI_ERR_OTHER;
    return knell__trouble(comm) & KNELL__DRAINS ? knell__op_check(comm, peer) : MPI_SUCCESS;
}
