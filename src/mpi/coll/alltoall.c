/* alltoall.c: MPI_Alltoall(v, w) and their nonblocking kinds: straight from everyone to everyone, a window of neighbours at
 * a time. In place, what is to be sent is packed away first. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"

enum { WINDOW = 16 };

/* ---- in place -------------------------------------------------------------------------------------------------------------------- */

static size_t packed_size(const struct coll_block *block)
{
    return coll_size_of(block->type) * (size_t)block->count;
}

static size_t packed_at(const struct coll_args *a, int rank)
{
    size_t at = 0;
    for (int i = 0; i < rank; i++) {
        struct coll_block block = coll_recv_block(a, i);
        at += packed_size(&block);
    }
    return at;
}

static void pack_away(struct coll *coll)
{
    int size = coll->comm->size;
    char *to = coll->mine = coll_scratch(coll, packed_at(coll->args, size), MPI_BYTE);
    for (int i = 0; to && i < size; i++) {
        struct coll_block block = coll_recv_block(coll->args, i);
        coll_pack(coll, block.at, block.count, block.type, to);
        to += packed_size(&block);
    }
}

/* ---- rounds ---------------------------------------------------------------------------------------------------------------------- */

static struct coll_block outgoing(const struct coll *coll, int to)
{
    const struct coll_args *a = coll->args;
    if (a->send != MPI_IN_PLACE)
        return coll_send_block(a, to);
    struct coll_block block = coll_recv_block(a, to);
    return (struct coll_block){(char *)coll->mine + packed_at(a, to), (int)packed_size(&block), MPI_PACKED};
}

static void copy_own(struct coll *coll)
{
    int rank = coll->comm->rank;
    struct coll_block from = coll_send_block(coll->args, rank), into = coll_recv_block(coll->args, rank);
    coll_copy(coll, from.at, from.count, from.type, into.at, into.count, into.type);
}

/* Distances first .. last - 1. */
static void exchange(struct coll *coll, int first, int last)
{
    int rank = coll->comm->rank, size = coll->comm->size;
    for (int far = first; far < last; far++) {
        int to = (rank + far) % size;
        struct coll_block block = outgoing(coll, to);
        coll_send(coll, block.at, block.count, block.type, to);
    }
    for (int far = first; far < last; far++) {
        int from = (rank - far + size) % size;
        struct coll_block block = coll_recv_block(coll->args, from);
        coll_recv(coll, block.at, block.count, block.type, from);
    }
}

static bool alltoall_step(struct coll *coll)
{
    int size = coll->comm->size, first = 1 + (int)coll->round * WINDOW;
    if (coll->round > 0 && first >= size)
        return false;
    bool in_place = coll->args->send == MPI_IN_PLACE;
    if (coll->round == 0 && in_place)
        pack_away(coll);
    if (coll->code != MPI_SUCCESS)
        return false;
    if (coll->round == 0 && !in_place)
        copy_own(coll); /* if that fails, the others get theirs all the same */
    exchange(coll, first, first + WINDOW < size ? first + WINDOW : size);
    return true;
}

int coll_alltoall(struct comm *comm, const struct coll_args *args)
{
    struct coll coll;
    coll_begin(&coll, comm, alltoall_step, args);
    return coll_run(&coll);
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------------- */

static int alltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                    MPI_Datatype recv_type, MPI_Comm comm, MPI_Request *request)
{
    struct coll_arrays by_rank = {0};
    struct coll_args args =
        coll_args_of(COLL_GIVES_BLOCKS, &by_rank, send, send_count, send_type, recv, recv_count, recv_type);
    args.inter = coll_inter_alltoall;
    return coll_call(comm, alltoall_step, &args, request);
}

/* v: one type each way; w: an array of them. */
static int alltoallvw(const void *send, const int send_counts[], const int send_displs[], MPI_Datatype send_type,
                      const MPI_Datatype send_types[], void *recv, const int recv_counts[], const int recv_displs[],
                      MPI_Datatype recv_type, const MPI_Datatype recv_types[], MPI_Comm comm, MPI_Request *request)
{
    struct coll_arrays by_rank = {.send_counts = send_counts,
                                  .recv_counts = recv_counts,
                                  .send_displs = send_displs,
                                  .recv_displs = recv_displs,
                                  .send_types = send_types,
                                  .recv_types = recv_types};
    struct coll_args args = coll_args_of(COLL_GIVES_BLOCKS, &by_rank, send, 0, send_type, recv, 0, recv_type);
    args.inter = coll_inter_alltoall;
    return coll_call(comm, alltoall_step, &args, request);
}

int mpi_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, NULL);
}

int mpi_ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int mpi_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoallvw(sendbuf, sendcounts, sdispls, sendtype, NULL, recvbuf, recvcounts, rdispls, recvtype, NULL, comm,
                      NULL);
}

int mpi_ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                   MPI_Request *request)
{
    return alltoallvw(sendbuf, sendcounts, sdispls, sendtype, NULL, recvbuf, recvcounts, rdispls, recvtype, NULL, comm,
                      request);
}

int mpi_alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                  void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm)
{
    return alltoallvw(sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes, recvbuf, recvcounts, rdispls,
                      MPI_DATATYPE_NULL, recvtypes, comm, NULL);
}

int mpi_ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                   void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                   MPI_Comm comm, MPI_Request *request)
{
    return alltoallvw(sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes, recvbuf, recvcounts, rdispls,
                      MPI_DATATYPE_NULL, recvtypes, comm, request);
}
