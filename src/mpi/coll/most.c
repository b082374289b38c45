/* most.c: the layer's own small reduction: the largest of everybody's numbers, by dissemination. To hear a number twice does no harm. */
#include "mpi/coll/coll.h"

static void take_larger(int64_t *mine, const int64_t *theirs, int count)
{
    for (int i = 0; i < count; i++)
        mine[i] = theirs[i] > mine[i] ? theirs[i] : mine[i];
}

static bool most_step(struct coll *coll)
{
    int rank = coll->comm->rank, size = coll->comm->size, far = 1 << coll->round, count = coll->args->recv_count;
    int64_t *mine = coll->args->recv, *theirs = (int64_t *)coll->inline_scratch;
    if (coll->round > 0 && coll->mode != COLL_TELLING)
        take_larger(mine, theirs, count);
    if (far >= size)
        return false;
    coll_recv(coll, theirs, count, MPI_INT64_T, (rank - far + size) % size);
    coll_send(coll, mine, count, MPI_INT64_T, (rank + far) % size);
    return true;
}

int coll_most(struct comm *comm, int64_t *numbers, int count)
{
    struct coll coll;
    coll_begin(&coll, comm, most_step, &(struct coll_args){.recv = numbers, .recv_count = count});
    return coll_run(&coll);
}
