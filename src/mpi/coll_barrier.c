/* coll_barrier.c: MPI_Barrier and MPI_Ibarrier by dissemination: after round i everybody has heard of 2^(i + 1) members. */
#include "mpi/coll.h"
#include "mpi/gen/own.h"

static bool barrier_step(struct knell__coll *coll)
{
    int rank = coll->comm->rank, size = coll->comm->size, far = 1 << coll->round;
    if (far >= size)
        return false;
    knell__coll_recv(coll, NULL, 0, MPI_BYTE, (rank - far + size) % size);
    knell__coll_send(coll, NULL, 0, MPI_BYTE, (rank + far) % size);
    return true;
}

int knell__mpi_barrier(MPI_Comm handle)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.barrier(handle);
    return knell__coll_blocking(comm, barrier_step, &(struct knell__coll_args){0});
}

int knell__mpi_ibarrier(MPI_Comm handle, MPI_Request *request)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.ibarrier(handle, request);
    return knell__coll_nonblocking(comm, barrier_step, &(struct knell__coll_args){0}, request);
}
