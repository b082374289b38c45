/* coll_bcast.c: MPI_Bcast and MPI_Ibcast down a binomial tree: round 0 receives, round 1 sends to all children. */
#include "mpi/coll.h"
#include "mpi/error.h"
#include "mpi/gen/own.h"

static bool bcast_step(struct knell__coll *coll)
{
    const struct knell__coll_args *args = &coll->args;
    int size = coll->comm->size, label = (coll->comm->rank - args->root + size) % size;
    int low = label ? label & -label : 1 << 30;
    if (coll->round == 0 && label)
        knell__coll_recv(coll, args->recv, args->recv_count, args->recv_type, ((label ^ low) + args->root) % size);
    if (coll->round == 1)
        for (int far = 1; far < low && label + far < size; far <<= 1)
            knell__coll_send(coll, args->recv, args->recv_count, args->recv_type, (label + far + args->root) % size);
    return coll->round < 2;
}

static struct knell__coll_args bcast_args(void *buffer, int count, MPI_Datatype type, int root)
{
    return (struct knell__coll_args){.recv = buffer, .recv_count = count, .recv_type = type, .root = root};
}

int knell__mpi_bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm handle)
{
    struct knell__comm *comm = knell__comm_of(handle);
    struct knell__coll_args args = bcast_args(buffer, count, datatype, root);
    if (!comm)
        return knell__native.bcast(buffer, count, datatype, root, handle);
    if (root < 0 || root >= comm->size)
        return knell__raise(comm, MPI_ERR_ROOT);
    return knell__coll_blocking(comm, bcast_step, &args);
}

int knell__mpi_ibcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm handle, MPI_Request *request)
{
    struct knell__comm *comm = knell__comm_of(handle);
    struct knell__coll_args args = bcast_args(buffer, count, datatype, root);
    if (!comm)
        return knell__native.ibcast(buffer, count, datatype, root, handle, request);
    if (root < 0 || root >= comm->size)
        return knell__raise(comm, MPI_ERR_ROOT);
    return knell__coll_nonblocking(comm, bcast_step, &args, request);
}
