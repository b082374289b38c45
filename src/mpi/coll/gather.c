/* gather.c: MPI_Gather(v), MPI_Scatter(v) and their nonblocking kinds: straight between the root and everyone, in the
 * program's own datatypes. One round. The root of a gather copies its own block while those of the others are under way. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"

static bool gather_step(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    bool root = coll->comm->rank == a->root;
    if (coll->round > 0)
        return false;
    if (!root)
        coll_send(coll, a->send, a->send_count, a->send_type, a->root);
    for (int i = 1; root && i < coll->comm->size; i++) {
        int rank = (a->root + i) % coll->comm->size;
        struct coll_block block = coll_recv_block(a, rank);
        coll_recv(coll, block.at, block.count, block.type, rank);
    }
    if (root && a->send != MPI_IN_PLACE) {
        struct coll_block own = coll_recv_block(a, a->root);
        coll_copy(coll, a->send, a->send_count, a->send_type, own.at, own.count, own.type);
    }
    return true;
}

static bool scatter_step(struct coll *coll)
{
    const struct coll_args *a = coll->args;
    if (coll->round > 0)
        return false;
    if (coll->comm->rank != a->root)
        coll_recv(coll, a->recv, a->recv_count, a->recv_type, a->root);
    for (int i = 1; coll->comm->rank == a->root && i <= coll->comm->size; i++) {
        int rank = (a->root + i) % coll->comm->size;
        struct coll_block block = coll_send_block(a, rank);
        if (rank != a->root)
            coll_send(coll, block.at, block.count, block.type, rank);
        else if (a->recv != MPI_IN_PLACE)
            coll_copy(coll, block.at, block.count, block.type, a->recv, a->recv_count, a->recv_type);
    }
    return true;
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------------- */

static int gather(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                  const int *counts, const int *displs, MPI_Datatype recv_type, int root, MPI_Comm comm,
                  MPI_Request *request)
{
    struct coll_arrays by_rank = {.recv_counts = counts, .recv_displs = displs, .at_root = true};
    struct coll_args args =
        coll_args_of(COLL_GIVES_BLOCK, &by_rank, send, send_count, send_type, recv, recv_count, recv_type);
    args.root = root;
    args.inter = coll_inter_gather;
    return coll_call(comm, gather_step, &args, request);
}

static int scatter(const void *send, int send_count, const int *counts, const int *displs, MPI_Datatype send_type,
                   void *recv, int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Request *request)
{
    struct coll_arrays by_rank = {.send_counts = counts, .send_displs = displs, .at_root = true};
    struct coll_args args =
        coll_args_of(COLL_GIVES_BLOCKS_AS_ROOT, &by_rank, send, send_count, send_type, recv, recv_count, recv_type);
    args.root = root;
    args.inter = coll_inter_scatter;
    return coll_call(comm, scatter_step, &args, request);
}

int mpi_gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL, NULL, recvtype, root, comm, NULL);
}

int mpi_igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL, NULL, recvtype, root, comm, request);
}

int mpi_gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, root, comm, NULL);
}

int mpi_igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                 const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return gather(sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, root, comm, request);
}

int mpi_scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return scatter(sendbuf, sendcount, NULL, NULL, sendtype, recvbuf, recvcount, recvtype, root, comm, NULL);
}

int mpi_iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return scatter(sendbuf, sendcount, NULL, NULL, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
}

int mpi_scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return scatter(sendbuf, 0, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, NULL);
}

int mpi_iscatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return scatter(sendbuf, 0, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
}
