/* reduce.c: MPI_Reduce and MPI_Ireduce.
 *
 * Little data: up a binomial tree whose nodes fold neighbouring blocks, the lower one on the left. Its root is the caller's root
 * if the operation commutes, else rank 0, who then passes the result on: so the order is kept. Two members have no better
 * way, but where halves go eagerly and the whole does not: MPICH's messages over UCX cost ten times as much from 8 KiB on.
 * Much data: everybody folds a piece (pieces.c) and sends it to the root. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"

#ifdef MPICH
enum { LITTLE_BYTES = 4096, EAGER_HALVES_BYTES = 15360 };
#else
enum { LITTLE_BYTES = 8192, EAGER_HALVES_BYTES = 0 };
#endif
enum { FAR, PHASE, TOP }; /* state; TOP: the root of the tree */
enum { FOLDING, PASSING, END };

static const void *input(const struct coll *coll)
{
    return coll->args->send == MPI_IN_PLACE ? coll->args->recv : coll->args->send;
}

/* ---- little -------------------------------------------------------------------------------------------------------------------- */

static int label_of(const struct coll *coll)
{
    return (coll->comm->rank - coll->state[TOP] + coll->comm->size) % coll->comm->size;
}

static int rank_of(const struct coll *coll, int label)
{
    return (label + coll->state[TOP]) % coll->comm->size;
}

static int children(int label, int size)
{
    int count = 0;
    for (int far = 1; !(label & far) && label + far < size; far *= 2)
        count++;
    return count;
}

/* Two buffers in turn, so that what comes can be folded into. Where the result is wanted in recv, the last one is that. */
static void tree_begin(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    coll->state[TOP] = coll_op_commutes(a->op) ? a->root : 0;
    int count = children(label_of(coll), coll->comm->size);
    bool at_root = coll->comm->rank == a->root;
    MPI_Aint extent = coll_extent_of(a->recv_type);
    bool straight = at_root && a->send != MPI_IN_PLACE && count == 1; /* comes, and is folded, where it belongs */
    coll->mine = (void *)input(coll);
    coll->spare = straight ? a->recv : NULL;
    coll->state[FAR] = 1;
    if (count == 0 || straight)
        return;
    void *scratch = coll_scratch(coll, (at_root ? 1 : 2) * (size_t)a->recv_count, a->recv_type);
    coll->spare = scratch;
    coll->other = at_root ? a->recv : coll_at(scratch, a->recv_count, extent);
    if (at_root && a->send != MPI_IN_PLACE && count % 2) {
        coll->spare = a->recv;
        coll->other = scratch;
    }
}

static void fold(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    void *folded = coll->spare;
    coll_fold(coll, coll->mine, folded, a->recv_count, a->recv_type, a->op);
    coll->spare = coll->mine == a->send ? coll->other : coll->mine;
    coll->mine = folded;
}

/* The next child's block, or nothing: everything of this node's subtree is folded. */
static bool expect_child(struct coll *coll)
{
    int far = coll->state[FAR], label = label_of(coll);
    if ((label & far) || label + far >= coll->comm->size)
        return false;
    coll_recv(coll, coll->spare, coll->args->recv_count, coll->args->recv_type, rank_of(coll, label + far));
    coll->state[FAR] = 2 * far;
    return true;
}

/* The tree is done with this member: up, or (its top) to the caller's root. */
static void pass(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int label = label_of(coll), rank = coll->comm->rank;
    if (label > 0)
        coll_send(coll, coll->mine, a->recv_count, a->recv_type, rank_of(coll, label & (label - 1)));
    else if (rank != a->root)
        coll_send(coll, coll->mine, a->recv_count, a->recv_type, a->root);
    else if (coll->mine != a->recv)
        coll_copy(coll, coll->mine, a->recv_count, a->recv_type, a->recv, a->recv_count, a->recv_type);
}

static bool tree_step(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank;
    if (coll->state[PHASE] == FOLDING) {
        if (coll->round == 0)
            tree_begin(coll);
        else
            fold(coll);
        if (coll->code != MPI_SUCCESS || expect_child(coll))
            return true;
        pass(coll);
        coll->state[PHASE] = PASSING;
        return rank != coll->state[TOP] || rank != a->root;
    }
    if (coll->state[PHASE] == PASSING && rank == a->root && rank != coll->state[TOP]) {
        coll_recv(coll, a->recv, a->recv_count, a->recv_type, coll->state[TOP]);
        coll->state[PHASE] = END;
        return true;
    }
    return false;
}

/* ---- much ---------------------------------------------------------------------------------------------------------------------- */

static struct coll_pieces pieces_of(const struct coll *coll)
{
    const struct coll_args *a = coll->args;
    struct coll_pieces pieces = {.from = input(coll), .from_is_ours = a->send == MPI_IN_PLACE, .total = a->recv_count};
    pieces.anywhere = coll->comm->rank != a->root;
    if (!pieces.anywhere)
        pieces.into = coll_at(a->recv, coll_piece_at(coll, &pieces, a->root), coll_extent_of(a->recv_type));
    return pieces;
}

static void collect(struct coll *coll, const struct coll_pieces *pieces, void *folded)
{
    const struct coll_args *a = coll->args;
    MPI_Aint extent = coll_extent_of(a->recv_type);
    int me = coll->comm->rank;
    if (me != a->root)
        coll_send(coll, folded, coll_piece_count(coll, pieces, me), a->recv_type, a->root);
    for (int i = 0; me == a->root && i < coll->comm->size; i++)
        if (i != me)
            coll_recv(coll, coll_at(a->recv, coll_piece_at(coll, pieces, i), extent), coll_piece_count(coll, pieces, i),
                      a->recv_type, i);
}

static bool pieces_step(struct coll *coll)
{
    struct coll_pieces pieces = pieces_of(coll);
    if (coll->round == 0)
        coll_pieces_exchange(coll, &pieces);
    if (coll->round == 1)
        collect(coll, &pieces, coll_pieces_fold(coll, &pieces));
    return coll->round < 2;
}

/* ---- calls ---------------------------------------------------------------------------------------------------------------------- */

static bool by_tree(const struct coll *coll, size_t bytes)
{
    int size = coll->comm->size;
    if (size == 1 || coll->args->recv_count < size || bytes <= LITTLE_BYTES)
        return true;
    return size == 2 && bytes > EAGER_HALVES_BYTES;
}

static bool reduce_step(struct coll *coll)
{
    if (coll_wrong(coll))
        return false;
    size_t bytes = (size_t)coll->args->recv_count * coll_size_of(coll->args->recv_type);
    coll->step = by_tree(coll, bytes) ? tree_step : pieces_step;
    return coll->step(coll);
}

static int reduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                  MPI_Request *request)
{
    struct coll_args args = {.send = send,
                             .recv = recv,
                             .recv_count = count,
                             .recv_type = type,
                             .op = op,
                             .root = root,
                             .gives = COLL_GIVES_OPERAND,
                             .inter = coll_inter_reduce};
    return coll_call(comm, reduce_step, &args, request);
}

int mpi_reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    return reduce(sendbuf, recvbuf, count, datatype, op, root, comm, NULL);
}

int mpi_ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request *request)
{
    return reduce(sendbuf, recvbuf, count, datatype, op, root, comm, request);
}
