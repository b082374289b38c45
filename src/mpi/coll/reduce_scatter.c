/* reduce_scatter.c: MPI_Reduce_scatter, MPI_Reduce_scatter_block and their nonblocking kinds: everybody folds its piece
 * (pieces.c), and that is all. In place the result lies over what is still being sent, and the rest of the buffer is not for
 * writing: the piece is folded elsewhere and copied when all is sent. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"

static struct coll_pieces pieces_of(const struct coll *coll)
{
    const struct coll_args *a = coll->args;
    bool in_place = a->send == MPI_IN_PLACE;
    return (struct coll_pieces){.from = in_place ? a->recv : a->send,
                                .into = a->recv,
                                .anywhere = in_place,
                                .total = a->recv_count * coll->comm->size,
                                .counts = a->by_rank->recv_counts};
}

static bool reduce_scatter_step(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    struct coll_pieces pieces = pieces_of(coll);
    int count = coll_piece_count(coll, &pieces, coll->comm->rank);
    if (coll_wrong(coll))
        return false;
    if (coll->comm->size > 1 && coll->round == 0) {
        coll_pieces_exchange(coll, &pieces);
        return true;
    }
    const void *folded = coll->comm->size > 1 ? coll_pieces_fold(coll, &pieces) : pieces.from;
    coll_copy(coll, folded, count, a->recv_type, a->recv, count, a->recv_type);
    return false;
}

static int reduce_scatter(const void *send, void *recv, int count, const int counts[], MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request)
{
    struct coll_arrays by_rank = {.recv_counts = counts};
    struct coll_args args = {.send = send,
                             .recv = recv,
                             .recv_count = count,
                             .recv_type = type,
                             .by_rank = &by_rank,
                             .op = op,
                             .gives = COLL_GIVES_PIECES,
                             .inter = coll_inter_reduce_scatter};
    return coll_call(comm, reduce_scatter_step, &args, request);
}

int mpi_reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm)
{
    return reduce_scatter(sendbuf, recvbuf, 0, recvcounts, datatype, op, comm, NULL);
}

int mpi_ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm, MPI_Request *request)
{
    return reduce_scatter(sendbuf, recvbuf, 0, recvcounts, datatype, op, comm, request);
}

int mpi_reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm)
{
    return reduce_scatter(sendbuf, recvbuf, recvcount, NULL, datatype, op, comm, NULL);
}

int mpi_ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm comm, MPI_Request *request)
{
    return reduce_scatter(sendbuf, recvbuf, recvcount, NULL, datatype, op, comm, request);
}
