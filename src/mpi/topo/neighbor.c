/* neighbor.c: the collectives of neighbours, blocking and not, for all kinds of topologies: a message for each edge.
 *
 * All messages have one tag, so several edges from one member to another match in order. In a graph, that is the order of the blocks. In
 * a grid the block that goes down comes in as the one from above: so in each direction the receive from above is the first. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/error/error.h"

/* ---- blocks ---------------------------------------------------------------------------------------------------------------------- */

/* The block that is received as the i-th. */
static inline int received(const struct topology *near, int i)
{
    return near->kind == TOPOLOGY_CART ? i ^ 1 : i;
}

/* For all the same, or one for each. */
static struct coll_block outgoing(const struct coll_args *a, int i)
{
    if (a->gives == COLL_GIVES_BLOCK)
        return (struct coll_block){(void *)a->send, a->send_count, a->send_type};
    return coll_send_block(a, i);
}

/* ---- the one round --------------------------------------------------------------------------------------------------------------- */

/* What a member sends to itself is not sent. */
static void copy_own(struct coll *coll)
{
    const struct topology *near = coll->args->near;
    int rank = coll->comm->rank, sent = 0;
    for (int i = 0; i < near->indegree; i++) {
        int block = received(near, i);
        if (near->sources[block] != rank)
            continue;
        while (sent < near->outdegree && near->destinations[sent] != rank)
            sent++;
        if (sent == near->outdegree) { /* it gave itself as a source, not as a destination */
            coll->code = MPI_ERR_TOPOLOGY;
            return;
        }
        struct coll_block from = outgoing(coll->args, sent++), into = coll_recv_block(coll->args, block);
        coll_copy(coll, from.at, from.count, from.type, into.at, into.count, into.type);
    }
}

static void send_all(struct coll *coll)
{
    const struct topology *near = coll->args->near;
    for (int i = 0; i < near->outdegree; i++) {
        int to = near->destinations[i];
        if (to == MPI_PROC_NULL || to == coll->comm->rank)
            continue;
        struct coll_block block = outgoing(coll->args, i);
        coll_send(coll, block.at, block.count, block.type, to);
    }
}

static void receive_all(struct coll *coll)
{
    const struct topology *near = coll->args->near;
    for (int i = 0; i < near->indegree; i++) {
        int number = received(near, i), from = near->sources[number];
        if (from == MPI_PROC_NULL || from == coll->comm->rank)
            continue;
        struct coll_block block = coll_recv_block(coll->args, number);
        coll_recv(coll, block.at, block.count, block.type, from);
    }
}

/* Not in parts: neighbours have them in another order, and would wait for each other. */
static bool neighbor_step(struct coll *coll)
{
    if (coll->round > 0)
        return false;
    copy_own(coll); /* if that fails, the others get theirs all the same */
    send_all(coll);
    receive_all(coll);
    return true;
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------------- */

static int call(MPI_Comm handle, struct coll_args *args, MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    int code = MPI_SUCCESS;
    if (comm && !comm->topology)
        code = MPI_ERR_TOPOLOGY;
    else if (comm && args->send == MPI_IN_PLACE)
        code = MPI_ERR_ARG;
    if (code != MPI_SUCCESS && request)
        coll_is_init(); /* it will not be */
    if (code != MPI_SUCCESS)
        return request ? error_raise_unbegun(comm, code, request) : error_raise(comm, code);
    args->near = comm ? comm->topology : NULL;
    return coll_call(handle, neighbor_step, args, request);
}

static int allgather(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                     const int *counts, const int *displs, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request *request)
{
    struct coll_arrays arrays = {.recv_counts = counts, .recv_displs = displs};
    struct coll_args args =
        coll_args_of(COLL_GIVES_BLOCK, &arrays, send, send_count, send_type, recv, recv_count, recv_type);
    return call(comm, &args, request);
}

static int alltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                    MPI_Datatype recv_type, MPI_Comm comm, MPI_Request *request)
{
    struct coll_arrays arrays = {0};
    struct coll_args args =
        coll_args_of(COLL_GIVES_BLOCKS, &arrays, send, send_count, send_type, recv, recv_count, recv_type);
    return call(comm, &args, request);
}

static int alltoallv(const void *send, const int *send_counts, const int *send_displs, MPI_Datatype send_type,
                     void *recv, const int *recv_counts, const int *recv_displs, MPI_Datatype recv_type, MPI_Comm comm,
                     MPI_Request *request)
{
    struct coll_arrays arrays = {
        .send_counts = send_counts, .recv_counts = recv_counts, .send_displs = send_displs, .recv_displs = recv_displs};
    struct coll_args args = coll_args_of(COLL_GIVES_BLOCKS, &arrays, send, 0, send_type, recv, 0, recv_type);
    return call(comm, &args, request);
}

static int alltoallw(const void *send, const int *send_counts, const MPI_Aint *send_bytes,
                     const MPI_Datatype *send_types, void *recv, const int *recv_counts, const MPI_Aint *recv_bytes,
                     const MPI_Datatype *recv_types, MPI_Comm comm, MPI_Request *request)
{
    struct coll_arrays arrays = {.send_counts = send_counts,
                                 .recv_counts = recv_counts,
                                 .send_bytes = send_bytes,
                                 .recv_bytes = recv_bytes,
                                 .send_types = send_types,
                                 .recv_types = recv_types};
    struct coll_args args =
        coll_args_of(COLL_GIVES_BLOCKS, &arrays, send, 0, MPI_DATATYPE_NULL, recv, 0, MPI_DATATYPE_NULL);
    return call(comm, &args, request);
}

int mpi_neighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL, NULL, recvtype, comm, NULL);
}

int mpi_ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, NULL, NULL, recvtype, comm, request);
}

int mpi_neighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, comm, NULL);
}

int mpi_ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request *request)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, comm, request);
}

int mpi_neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                          MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, NULL);
}

int mpi_ineighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

int mpi_neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                           void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                           MPI_Comm comm)
{
    return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, NULL);
}

int mpi_ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                            void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                            MPI_Comm comm, MPI_Request *request)
{
    return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
}

int mpi_neighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, NULL);
}

int mpi_ineighbor_alltoallw(const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                            MPI_Request *request)
{
    return alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
}
