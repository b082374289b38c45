/* allgather_bytes.c: the layer's own small gathering (colours and keys of a split), round a ring. */
#include "mpi/coll/coll.h"

#include <string.h>

static bool ring_step(struct knell__coll *coll)
{
    const struct knell__coll_args *args = coll->args;
    int rank = coll->comm->rank, size = coll->comm->size, round = (int)coll->round, each = args->recv_count;
    char *all = args->recv;
    if (round == size - 1)
        return false;
    int sent = (rank - round + size) % size, got = (rank - round - 1 + size) % size;
    knell__coll_recv(coll, all + (size_t)got * (size_t)each, each, MPI_BYTE, (rank - 1 + size) % size);
    knell__coll_send(coll, all + (size_t)sent * (size_t)each, each, MPI_BYTE, (rank + 1) % size);
    return true;
}

int knell__coll_allgather(struct knell__comm *comm, const void *mine, void *all, size_t size)
{
    struct knell__coll coll;
    memcpy((char *)all + (size_t)comm->rank * size, mine, size);
    knell__coll_begin(&coll, comm, ring_step, &(struct knell__coll_args){.recv = all, .recv_count = (int)size});
    return knell__coll_run(&coll);
}
