/* allgather_bytes.c: the layer's own small gathering (colours and keys of a split), round a ring of all members. */
#include "mpi/coll/coll.h"

#include <string.h>

static bool ring_step(struct coll *coll)
{
    const struct coll_args *args = coll->args;
    const struct comm *comm = coll->comm;
    int rank = comm_place(comm), size = comm->members, round = (int)coll->round, each = args->recv_count;
    char *all = args->recv;
    if (round == size - 1)
        return false;
    int sent = (rank - round + size) % size, got = (rank - round - 1 + size) % size;
    coll_recv(coll, all + (size_t)got * (size_t)each, each, MPI_BYTE, comm_at_place(comm, (rank - 1 + size) % size));
    coll_send(coll, all + (size_t)sent * (size_t)each, each, MPI_BYTE, comm_at_place(comm, (rank + 1) % size));
    return true;
}

int coll_allgather(struct comm *comm, const void *mine, void *all, size_t size)
{
    struct coll coll;
    memcpy((char *)all + (size_t)comm_place(comm) * size, mine, size);
    coll_begin(&coll, comm, ring_step, &(struct coll_args){.recv = all, .recv_count = (int)size});
    return coll_run(&coll);
}
