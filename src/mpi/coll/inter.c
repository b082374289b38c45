/* inter.c: collectives of intercommunicators that move data (reductions: inter_reduce.c). What comes is from the remote group. In coll_send
 * and coll_recv a rank of the remote group stands for itself, one of the local group comes after all of these (comm.h, process_of).
 *
 * The root of a rooted one gives MPI_ROOT, the rest of its group MPI_PROC_NULL: they have no part in it. */
#include "mpi/coll/coll.h"

enum { WINDOW = 32 }; /* pairs at a time */

int coll_inter_check(const struct comm *comm, const struct coll_args *args)
{
    bool in_place = args->send == MPI_IN_PLACE && args->root >= 0;
    if (args->root != MPI_ROOT && args->root != MPI_PROC_NULL && args->root < 0)
        return MPI_ERR_ROOT;
    if (comm->size > 0 && args->root >= comm->size)
        return MPI_ERR_ROOT;
    return in_place ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

/* Dissemination among all members: more than is asked for, which is that the other group has come. */
bool coll_inter_barrier(struct coll *coll)
{
    const struct comm *comm = coll->comm;
    int place = comm_place(comm), size = comm->members, far = 1 << coll->round;
    if (far >= size)
        return false;
    coll_recv(coll, NULL, 0, MPI_BYTE, comm_at_place(comm, (place - far + size) % size));
    coll_send(coll, NULL, 0, MPI_BYTE, comm_at_place(comm, (place + far) % size));
    return true;
}

/* ---- rooted ----------------------------------------------------------------------------------------------------------------------- */

static bool is_idle(const struct coll *coll)
{
    return coll->args->root == MPI_PROC_NULL || coll->comm->size == 0;
}

/* Down a binomial tree of the root, which is 0 in it, and the group that receives. */
static int tree_member(const struct coll *coll, int label)
{
    if (coll->args->root == MPI_ROOT)
        return label - 1;
    return label == 0 ? coll->args->root : coll->comm->size + label - 1;
}

bool coll_inter_bcast(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    bool root = a->root == MPI_ROOT;
    int label = root ? 0 : coll->comm->rank + 1, low = root ? 1 << 30 : label & -label;
    int size = 1 + (root ? coll->comm->size : coll->comm->local);
    if (is_idle(coll) || coll_wrong(coll))
        return false;
    if (root && coll->round == 0)
        coll->round = 1;
    if (coll->round == 0)
        coll_recv(coll, a->recv, a->recv_count, a->recv_type, tree_member(coll, label ^ low));
    if (coll->round == 1)
        for (int far = 1; far < low && label + far < size; far <<= 1)
            coll_send(coll, a->recv, a->recv_count, a->recv_type, tree_member(coll, label + far));
    return coll->round < 2;
}

bool coll_inter_gather(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    if (coll->round > 0 || is_idle(coll))
        return false;
    if (a->root != MPI_ROOT)
        coll_send(coll, a->send, a->send_count, a->send_type, a->root);
    for (int i = 0; a->root == MPI_ROOT && i < coll->comm->size; i++) {
        struct coll_block block = coll_recv_block(a, i);
        coll_recv(coll, block.at, block.count, block.type, i);
    }
    return true;
}

bool coll_inter_scatter(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    if (coll->round > 0 || is_idle(coll))
        return false;
    if (a->root != MPI_ROOT)
        coll_recv(coll, a->recv, a->recv_count, a->recv_type, a->root);
    for (int i = 0; a->root == MPI_ROOT && i < coll->comm->size; i++) {
        struct coll_block block = coll_send_block(a, i);
        coll_send(coll, block.at, block.count, block.type, i);
    }
    return true;
}

/* ---- from all to all ------------------------------------------------------------------------------------------------------------- */

/* Pairs of one member of each group have their turn, in which they exchange blocks: the same at both. -1: nobody is there. */
static int partner(const struct comm *comm, int turn)
{
    int turns = comm->size > comm->local ? comm->size : comm->local;
    int rank = comm_goes_first(comm) ? (comm->rank + turn) % turns : (comm->rank - turn + turns) % turns;
    return rank < comm->size ? rank : -1;
}

static bool exchange(struct coll *coll, struct coll_block block_for(const struct coll_args *args, int rank))
{
    const struct comm *comm = coll->comm;
    int turns = comm->size > comm->local ? comm->size : comm->local, first = (int)coll->round * WINDOW;
    if (first >= turns)
        return false;
    for (int turn = first; turn < first + WINDOW && turn < turns; turn++) {
        int rank = partner(comm, turn);
        if (rank < 0)
            continue;
        struct coll_block in = coll_recv_block(coll->args, rank), out = block_for(coll->args, rank);
        coll_recv(coll, in.at, in.count, in.type, rank);
        coll_send(coll, out.at, out.count, out.type, rank);
    }
    return true;
}

bool coll_inter_alltoall(struct coll *coll)
{
    return exchange(coll, coll_send_block);
}

static struct coll_block same_for_all(const struct coll_args *a, int rank)
{
    (void)rank;
    return (struct coll_block){(void *)a->send, a->send_count, a->send_type};
}

bool coll_inter_allgather(struct coll *coll)
{
    return exchange(coll, same_for_all);
}
