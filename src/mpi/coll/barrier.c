/* barrier.c: MPI_Barrier and MPI_Ibarrier by dissemination: after round i everybody has heard of 2^(i + 1) members. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"

static bool barrier_step(struct coll *coll)
{
    int rank = coll->comm->rank, size = coll->comm->size, far = 1 << coll->round;
    if (far >= size)
        return false;
    coll_recv(coll, NULL, 0, MPI_BYTE, (rank - far + size) % size);
    coll_send(coll, NULL, 0, MPI_BYTE, (rank + far) % size);
    return true;
}

static const struct coll_args nothing = {.inter = coll_inter_barrier};

int coll_barrier(struct comm *comm)
{
    struct coll coll;
    coll_begin(&coll, comm, barrier_step, &nothing);
    return coll_run(&coll);
}

int mpi_barrier(MPI_Comm comm)
{
    return coll_call(comm, barrier_step, &nothing, NULL);
}

int mpi_ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return coll_call(comm, barrier_step, &nothing, request);
}
