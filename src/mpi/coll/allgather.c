/* allgather.c: MPI_Allgather(v) and their nonblocking kinds.
 *
 * Round a ring in the program's own datatype: n - 1 rounds, no byte sent twice. Little data of several members: Bruck, log n
 * rounds, in which a member's blocks lie as bytes in a row, its own first. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"

enum { LITTLE_BYTES = 16384 }; /* all blocks together */

static void *block_at(const struct coll_args *a, int rank)
{
    MPI_Aint extent = coll_extent_of(a->recv_type);
    return coll_at(a->recv, a->by_rank->recv_counts ? a->by_rank->recv_displs[rank] : (MPI_Aint)rank * a->recv_count,
                   extent);
}

static int block_count(const struct coll_args *a, int rank)
{
    return a->by_rank->recv_counts ? a->by_rank->recv_counts[rank] : a->recv_count;
}

static void ring_begin(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank, size = coll->comm->size;
    coll_copy(coll, a->send, a->send_count, a->send_type, block_at(a, rank), block_count(a, rank), a->recv_type);
    if (size > 1)
        coll_send(coll, a->send, a->send_count, a->send_type, (rank + 1) % size);
}

static bool ring_step(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank, size = coll->comm->size, round = (int)coll->round;
    int sent = (rank - round + size) % size, got = (rank - round - 1 + size) % size;
    bool more = round < size - 1;
    if (round == 0 && a->send != MPI_IN_PLACE)
        ring_begin(coll);
    else if (more)
        coll_send(coll, block_at(a, sent), block_count(a, sent), a->recv_type, (rank + 1) % size);
    if (more)
        coll_recv(coll, block_at(a, got), block_count(a, got), a->recv_type, (rank - 1 + size) % size);
    return more;
}

/* ---- Bruck ---------------------------------------------------------------------------------------------------------------------- */

static int bytes_each(const struct coll_args *a)
{
    return (int)coll_size_of(a->recv_type) * a->recv_count;
}

static void bruck_begin(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    coll->mine = coll_scratch(coll, (size_t)coll->comm->size * (size_t)bytes_each(a), MPI_BYTE);
    if (!coll->mine)
        return;
    if (a->send == MPI_IN_PLACE)
        coll_pack(coll, block_at(a, coll->comm->rank), a->recv_count, a->recv_type, coll->mine);
    else
        coll_pack(coll, a->send, a->send_count, a->send_type, coll->mine);
}

/* Block i in a row is that of rank + i. */
static void bruck_end(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int rank = coll->comm->rank, size = coll->comm->size;
    for (int i = 0; i < size; i++) {
        int from = (rank + i) % size;
        if (i > 0 || a->send != MPI_IN_PLACE)
            coll_unpack(coll, coll_at(coll->mine, i, bytes_each(a)), block_at(a, from), a->recv_count, a->recv_type);
    }
}

static bool bruck_step(struct coll *coll)
{
    int rank = coll->comm->rank, size = coll->comm->size, far = 1 << coll->round, each = bytes_each(coll->args);
    if (coll->round == 0)
        bruck_begin(coll);
    if (coll->code != MPI_SUCCESS)
        return false;
    if (far >= size) {
        bruck_end(coll);
        return false;
    }
    int count = (far < size - far ? far : size - far) * each;
    coll_recv(coll, coll_at(coll->mine, far, each), count, MPI_PACKED, (rank + far) % size);
    coll_send(coll, coll->mine, count, MPI_PACKED, (rank - far + size) % size);
    return true;
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------------- */

static bool allgather_step(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    int size = coll->comm->size;
    bool little = size > 2 && !a->by_rank->recv_counts && a->recv_count >= 0 &&
                  coll_size_of(a->recv_type) * (size_t)a->recv_count * (size_t)size <= LITTLE_BYTES;
    coll->step = little ? bruck_step : ring_step;
    return coll->step(coll);
}

static int allgather(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                     const int *counts, const int *displs, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request *request)
{
    struct coll_arrays by_rank = {.recv_counts = counts, .recv_displs = displs};
    struct coll_args args =
        coll_args_of(COLL_GIVES_BLOCK, &by_rank, send, send_count, send_type, recv, recv_count, recv_type);
    args.inter = coll_inter_allgather;
    return coll_call(comm, allgather_step, &args, request);
}

int mpi_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL, NULL, recvtype, comm, NULL);
}

int mpi_iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL, NULL, recvtype, comm, request);
}

int mpi_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, comm, NULL);
}

int mpi_iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                    const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, comm, request);
}
