/* inter_reduce.c: reductions of intercommunicators. Each group folds its elements up a binomial tree to its rank 0, which keeps the
 * order of ranks. From there they go to the root, or the two ranks 0 exchange them and pass them on in their groups. */
#include "mpi/coll/coll.h"

enum { PHASE, FAR, COUNT }; /* state; COUNT: of the elements that are folded */
enum { BEGIN, FOLDING, HOLDING, PASSING, END };

/* In the local group, for coll_send and coll_recv. */
static int local(const struct coll *coll, int rank)
{
    return coll->comm->size + rank;
}

static int parent_of(int rank)
{
    return rank & (rank - 1);
}

/* ---- folding ----------------------------------------------------------------------------------------------------------------------- */

static void begin(struct coll *coll, int count)
{
    const struct coll_args *a = coll->args;
    coll->state[FAR] = 1;
    coll->state[COUNT] = count;
    coll->mine = (void *)a->send;
    coll->spare = coll_scratch(coll, 2 * (size_t)count, a->recv_type);
    coll->other = coll_at(coll->spare, count, coll_extent_of(a->recv_type));
}

static void fold(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    void *folded = coll->spare;
    coll_fold(coll, coll->mine, folded, coll->state[COUNT], a->recv_type, a->op);
    coll->spare = coll->mine == a->send ? coll->other : coll->mine;
    coll->mine = folded;
}

/* The next child's elements, or nothing: all of this subtree are folded. */
static bool expect_child(struct coll *coll)
{
    int far = coll->state[FAR], rank = coll->comm->rank;
    if ((rank & far) || rank + far >= coll->comm->local)
        return false;
    coll_recv(coll, coll->spare, coll->state[COUNT], coll->args->recv_type, local(coll, rank + far));
    coll->state[FAR] = 2 * far;
    return true;
}

/* True: the elements of the subtree are in `mine`, since just now. */
static bool folds(struct coll *coll, int count)
{
    if (coll->state[PHASE] > FOLDING)
        return false;
    if (coll->state[PHASE] == BEGIN)
        begin(coll, count);
    else
        fold(coll);
    coll->state[PHASE] = FOLDING;
    if (coll->code != MPI_SUCCESS || expect_child(coll))
        return false;
    coll->state[PHASE] = HOLDING;
    return true;
}

static void send_mine(struct coll *coll, int to)
{
    coll_send(coll, coll->mine, coll->state[COUNT], coll->args->recv_type, to);
}

/* ---- reduce ----------------------------------------------------------------------------------------------------------------------- */

static bool root_step(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    if (coll->round == 0)
        coll_recv(coll, a->recv, a->recv_count, a->recv_type, 0);
    return coll->round == 0;
}

bool coll_inter_reduce(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank;
    if (a->root == MPI_PROC_NULL || coll->comm->size == 0 || coll_wrong(coll))
        return false;
    if (a->root == MPI_ROOT)
        return root_step(coll);
    if (folds(coll, a->recv_count))
        send_mine(coll, rank > 0 ? local(coll, parent_of(rank)) : a->root);
    else if (coll->state[PHASE] == HOLDING)
        coll->state[PHASE] = END;
    return coll->state[PHASE] != END;
}

/* ---- both ways -------------------------------------------------------------------------------------------------------------------- */

/* What the ranks 0 exchange comes to `into`; the others get `count` elements of theirs later, from `from`, to recv. */
static void swap(struct coll *coll, void *into, int count, int from)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank;
    send_mine(coll, rank > 0 ? local(coll, parent_of(rank)) : 0);
    if (rank == 0)
        coll_recv(coll, into, coll->state[COUNT], a->recv_type, 0);
    else
        coll_recv(coll, a->recv, count, a->recv_type, local(coll, from));
}

static void spread(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank, low = rank ? rank & -rank : 1 << 30;
    for (int far = 1; far < low && rank + far < coll->comm->local; far <<= 1)
        coll_send(coll, a->recv, a->recv_count, a->recv_type, local(coll, rank + far));
}

bool coll_inter_allreduce(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    if (coll->comm->size == 0 || coll_wrong(coll))
        return false;
    if (folds(coll, a->recv_count)) {
        swap(coll, a->recv, a->recv_count, parent_of(coll->comm->rank));
    } else if (coll->state[PHASE] == HOLDING) {
        spread(coll);
        coll->state[PHASE] = PASSING;
    } else if (coll->state[PHASE] == PASSING) {
        coll->state[PHASE] = END;
    }
    return coll->state[PHASE] != END;
}

/* ---- reduce_scatter --------------------------------------------------------------------------------------------------------------- */

static int piece_count(const struct coll_args *a, int rank)
{
    return a->by_rank->recv_counts ? a->by_rank->recv_counts[rank] : a->recv_count;
}

static int total(const struct coll *coll)
{
    int sum = 0;
    for (int i = 0; i < coll->comm->local; i++)
        sum += piece_count(coll->args, i);
    return sum;
}

static void deal(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    MPI_Aint extent = coll_extent_of(a->recv_type);
    int at = piece_count(a, 0);
    for (int i = 1; i < coll->comm->local; i++) {
        coll_send(coll, coll_at(coll->spare, at, extent), piece_count(a, i), a->recv_type, local(coll, i));
        at += piece_count(a, i);
    }
    coll_copy(coll, coll->spare, piece_count(a, 0), a->recv_type, a->recv, piece_count(a, 0), a->recv_type);
}

bool coll_inter_reduce_scatter(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank;
    if (coll->comm->size == 0 || coll_wrong(coll))
        return false;
    if (folds(coll, total(coll))) {
        swap(coll, coll->spare, piece_count(a, rank), 0);
    } else if (coll->state[PHASE] == HOLDING) {
        if (rank == 0)
            deal(coll);
        coll->state[PHASE] = PASSING;
    } else if (coll->state[PHASE] == PASSING) {
        coll->state[PHASE] = END;
    }
    return coll->state[PHASE] != END;
}
