/* doubt.c: see doubt.h. */
#include "mpi/wait/doubt.h"
#include "mpi/wait/wait.h"

#include <knell/mpix.h>
#include <stdlib.h>

_Atomic bool doubt_any;
static _Atomic bool *ended; /* by process: something was written to it after its end */

void doubt_begin(void)
{
    ended = calloc((size_t)self.processes, sizeof *ended);
    if (!ended)
        layer_die("out of memory");
}

void doubt_process(int process)
{
    atomic_store(&ended[process], true);
    atomic_store(&doubt_any, true);
}

void doubt_comm(struct comm *comm)
{
    atomic_fetch_or(&comm->trouble, COMM_DRAINS);
    atomic_store(&doubt_any, true);
}

/* The kernel may know of an end before the detector does. */
int doubt_verdict(const struct comm *comm, int peer)
{
    if (peer >= 0 && atomic_load(&ended[peer]))
        return side_confirm(peer) ? MPIX_ERR_PROC_FAILED : MPI_ERR_OTHER;
    return comm_trouble(comm) & COMM_DRAINS ? op_check(comm, peer) : MPI_SUCCESS;
}
