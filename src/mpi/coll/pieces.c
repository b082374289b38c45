/* pieces.c: the reductions of much data. It is cut into as many pieces as there are members; everybody gets its piece from
 * all others and folds it, in the order of ranks: operations that do not commute keep their order, and every element is
 * computed in one place only, so its bits are the same wherever the piece goes next. One round, no byte sent twice, any number of members. */
#include "mpi/coll/coll.h"

int coll_piece_at(const struct coll *coll, const struct coll_pieces *pieces, int rank)
{
    int at = 0;
    if (!pieces->counts)
        return (int)((int64_t)pieces->total * rank / coll->comm->size);
    for (int i = 0; i < rank; i++)
        at += pieces->counts[i];
    return at;
}

int coll_piece_count(const struct coll *coll, const struct coll_pieces *pieces, int rank)
{
    if (pieces->counts)
        return pieces->counts[rank];
    return coll_piece_at(coll, pieces, rank + 1) - coll_piece_at(coll, pieces, rank);
}

/* Whose contribution is folded into. MPI_Reduce_local leaves "left op right" in the right one, so that is the last rank's. When
 * the order does not matter it is whichever lies in memory that may be written. */
static int last_rank(const struct coll *coll, const struct coll_pieces *pieces)
{
    int rank = coll->comm->rank, size = coll->comm->size;
    if (!coll_op_commutes(coll->args->op))
        return size - 1;
    return pieces->from_is_ours ? rank : (rank + 1) % size;
}

static bool into_directly(const struct coll_pieces *pieces)
{
    return !pieces->anywhere && !pieces->from_is_ours;
}

/* Where the contribution of `rank` lies: in `from`, in `into` or in a slot of the scratch. Of those slots rank + 1 has the last,
 * which is not needed when it goes into `into`; the copy of the own contribution has one more. */
static void *contribution(const struct coll *coll, const struct coll_pieces *pieces, int rank, MPI_Aint extent)
{
    int me = coll->comm->rank, size = coll->comm->size;
    bool last = rank == coll->state[0];
    if (last && into_directly(pieces))
        return pieces->into;
    if (rank == me && !(last && !pieces->from_is_ours))
        return coll_at(pieces->from, coll_piece_at(coll, pieces, me), extent);
    int slot = rank == me ? size - 1 : (me - rank + size) % size - 1;
    return coll_at(coll->spare, (MPI_Aint)slot * coll_piece_count(coll, pieces, me), extent);
}

static int slots(const struct coll *coll, const struct coll_pieces *pieces)
{
    int me = coll->comm->rank, size = coll->comm->size, last = coll->state[0];
    if (into_directly(pieces))
        return last == (me + 1) % size ? size - 2 : size - 1;
    return last == me && !pieces->from_is_ours ? size : size - 1;
}

void coll_pieces_exchange(struct coll *coll, const struct coll_pieces *pieces)
{
    MPI_Datatype type = coll->args->recv_type;
    MPI_Aint extent = coll_extent_of(type);
    int me = coll->comm->rank, size = coll->comm->size, count = coll_piece_count(coll, pieces, me);
    coll->state[0] = last_rank(coll, pieces);
    coll->spare = coll_scratch(coll, (size_t)slots(coll, pieces) * (size_t)count, type);
    if (coll->code != MPI_SUCCESS)
        return;
    if (coll->state[0] == me && !pieces->from_is_ours)
        coll_copy(coll, coll_at(pieces->from, coll_piece_at(coll, pieces, me), extent), count, type,
                  contribution(coll, pieces, me, extent), count, type);
    for (int i = 1; i < size; i++) {
        int target = (me + i) % size;
        coll_send(coll, coll_at(pieces->from, coll_piece_at(coll, pieces, target), extent),
                  coll_piece_count(coll, pieces, target), type, target);
    }
    for (int i = 1; i < size; i++) {
        int source = (me - i + size) % size;
        coll_recv(coll, contribution(coll, pieces, source, extent), count, type, source);
    }
}

void *coll_pieces_fold(struct coll *coll, const struct coll_pieces *pieces)
{
    MPI_Datatype type = coll->args->recv_type;
    MPI_Aint extent = coll_extent_of(type);
    int size = coll->comm->size, last = coll->state[0], count = coll_piece_count(coll, pieces, coll->comm->rank);
    void *folded = contribution(coll, pieces, last, extent);
    for (int i = 1; i < size; i++) {
        int rank = (last - i + size) % size;
        coll_fold(coll, contribution(coll, pieces, rank, extent), folded, count, type, coll->args->op);
    }
    if (pieces->anywhere)
        return folded;
    coll_copy(coll, folded, count, type, pieces->into, count, type);
    return pieces->into;
}
