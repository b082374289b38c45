/* neighbor_large.c: the collectives of neighbours that have arrays of MPI 4's large counts, as coll/large.c has those of all members:
 * what fits in int goes to the call without _c. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/init.h"
#include "mpi/coll/narrow.h"

#if MPI_VERSION >= 4

/* Without a topology the small call raises. */
static int sends(MPI_Comm handle)
{
    const struct comm *comm = comm_of(handle);
    return comm && comm->topology ? comm->topology->outdegree : 0;
}

static int recvs(MPI_Comm handle)
{
    const struct comm *comm = comm_of(handle);
    return comm && comm->topology ? comm->topology->indegree : 0;
}

/* ---- both kinds: `request` NULL is the blocking one -------------------------------------------------------------------------------- */

static int allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Request *request)
{
    struct narrow recv = narrow_of(recvcounts, displs, recvs(comm));
    int code, count = (int)sendcount;
    if (!recv.fits || !narrow_fits(sendcount))
        code = narrow_refuse(comm, request);
    else if (request)
        code = mpi_ineighbor_allgatherv(sendbuf, count, sendtype, recvbuf, recv.counts, recv.displs, recvtype, comm,
                                        request);
    else
        code = mpi_neighbor_allgatherv(sendbuf, count, sendtype, recvbuf, recv.counts, recv.displs, recvtype, comm);
    return narrow_release(&recv, code);
}

static int alltoallv(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                     void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request *request)
{
    struct narrow send = narrow_of(sendcounts, sdispls, sends(comm));
    struct narrow recv = narrow_of(recvcounts, rdispls, recvs(comm));
    int code;
    if (!send.fits || !recv.fits)
        code = narrow_refuse(comm, request);
    else if (request)
        code = mpi_ineighbor_alltoallv(sendbuf, send.counts, send.displs, sendtype, recvbuf, recv.counts, recv.displs,
                                       recvtype, comm, request);
    else
        code = mpi_neighbor_alltoallv(sendbuf, send.counts, send.displs, sendtype, recvbuf, recv.counts, recv.displs,
                                      recvtype, comm);
    return narrow_release(&send, narrow_release(&recv, code));
}

/* Its displacements are large in the small call, too. */
static int alltoallw(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    struct narrow send = narrow_of(sendcounts, NULL, sends(comm)), recv = narrow_of(recvcounts, NULL, recvs(comm));
    int code;
    if (!send.fits || !recv.fits)
        code = narrow_refuse(comm, request);
    else if (request)
        code = mpi_ineighbor_alltoallw(sendbuf, send.counts, sdispls, sendtypes, recvbuf, recv.counts, rdispls,
                                       recvtypes, comm, request);
    else
        code = mpi_neighbor_alltoallw(sendbuf, send.counts, sdispls, sendtypes, recvbuf, recv.counts, rdispls,
                                      recvtypes, comm);
    return narrow_release(&send, narrow_release(&recv, code));
}

/* ---- calls -------------------------------------------------------------------------------------------------------------------------- */

int mpi_neighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                              const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                              MPI_Comm comm)
{
    return allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, NULL);
}

int mpi_ineighbor_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                               const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                               MPI_Comm comm, MPI_Request *request)
{
    return allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
}

int mpi_neighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                             MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                             const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, NULL);
}

int mpi_ineighbor_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                              MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                              const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
}

int mpi_neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, NULL);
}

int mpi_ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                              const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                              MPI_Request *request)
{
    return alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
}

/* ---- persistent ---------------------------------------------------------------------------------------------------------------------- */

COLL_INIT_ONE(neighbor_allgatherv_init_c,
              (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
               const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Info info, MPI_Request *request),
              allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
COLL_INIT_ONE(neighbor_alltoallv_init_c,
              (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
               void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
               MPI_Comm comm, MPI_Info info, MPI_Request *request),
              alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request))
COLL_INIT_ONE(neighbor_alltoallw_init_c,
              (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
               const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
               const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request),
              alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                        request))

#endif
