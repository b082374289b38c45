/* large.c: the collectives of MPI 4 that have arrays of large counts, blocking and not. The layer counts in int: what fits goes to
 * the call without _c, which copies the arrays if it goes on after the call; all else is MPI_ERR_COUNT. (Calls with single counts are
 * generated.) */
#include "mpi/base/gen/own.h"
#include "mpi/coll/init.h"
#include "mpi/coll/narrow.h"

#if MPI_VERSION >= 4

/* How many ranks there are, and how many the root looks at. An unknown handle is for the small call to refuse. */
static int size_of(MPI_Comm handle)
{
    const struct comm *comm = comm_of(handle);
    return comm ? comm->size : 0;
}

static int local_size_of(MPI_Comm handle)
{
    const struct comm *comm = comm_of(handle);
    return comm ? comm_local_size(comm) : 0;
}

static int size_at_root(MPI_Comm handle, int root)
{
    return comm_at_root(handle, root) ? size_of(handle) : 0;
}

/* ---- both kinds: `request` NULL is the blocking one -------------------------------------------------------------------------------- */

static int gatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm, MPI_Request *request)
{
    struct narrow recv = narrow_of(recvcounts, displs, size_at_root(comm, root));
    int code, count = (int)sendcount;
    if (!recv.fits || (sendbuf != MPI_IN_PLACE && !narrow_fits(sendcount)))
        code = narrow_refuse(comm, request);
    else if (request)
        code = mpi_igatherv(sendbuf, count, sendtype, recvbuf, recv.counts, recv.displs, recvtype, root, comm, request);
    else
        code = mpi_gatherv(sendbuf, count, sendtype, recvbuf, recv.counts, recv.displs, recvtype, root, comm);
    return narrow_release(&recv, code);
}

static int scatterv(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype,
                    void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    MPI_Request *request)
{
    struct narrow send = narrow_of(sendcounts, displs, size_at_root(comm, root));
    int code, count = (int)recvcount;
    if (!send.fits || (recvbuf != MPI_IN_PLACE && !narrow_fits(recvcount)))
        code = narrow_refuse(comm, request);
    else if (request)
        code =
            mpi_iscatterv(sendbuf, send.counts, send.displs, sendtype, recvbuf, count, recvtype, root, comm, request);
    else
        code = mpi_scatterv(sendbuf, send.counts, send.displs, sendtype, recvbuf, count, recvtype, root, comm);
    return narrow_release(&send, code);
}

static int allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Request *request)
{
    struct narrow recv = narrow_of(recvcounts, displs, size_of(comm));
    int code, count = (int)sendcount;
    if (!recv.fits || (sendbuf != MPI_IN_PLACE && !narrow_fits(sendcount)))
        code = narrow_refuse(comm, request);
    else if (request)
        code = mpi_iallgatherv(sendbuf, count, sendtype, recvbuf, recv.counts, recv.displs, recvtype, comm, request);
    else
        code = mpi_allgatherv(sendbuf, count, sendtype, recvbuf, recv.counts, recv.displs, recvtype, comm);
    return narrow_release(&recv, code);
}

static int alltoallv(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                     void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request *request)
{
    struct narrow send = narrow_of(sendcounts, sdispls, sendbuf == MPI_IN_PLACE ? 0 : size_of(comm));
    struct narrow recv = narrow_of(recvcounts, rdispls, size_of(comm));
    int code;
    if (!send.fits || !recv.fits)
        code = narrow_refuse(comm, request);
    else if (request)
        code = mpi_ialltoallv(sendbuf, send.counts, send.displs, sendtype, recvbuf, recv.counts, recv.displs, recvtype,
                              comm, request);
    else
        code = mpi_alltoallv(sendbuf, send.counts, send.displs, sendtype, recvbuf, recv.counts, recv.displs, recvtype,
                             comm);
    return narrow_release(&send, narrow_release(&recv, code));
}

static int alltoallw(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    struct narrow send = narrow_of(sendcounts, sdispls, sendbuf == MPI_IN_PLACE ? 0 : size_of(comm));
    struct narrow recv = narrow_of(recvcounts, rdispls, size_of(comm));
    int code;
    if (!send.fits || !recv.fits)
        code = narrow_refuse(comm, request);
    else if (request)
        code = mpi_ialltoallw(sendbuf, send.counts, send.displs, sendtypes, recvbuf, recv.counts, recv.displs,
                              recvtypes, comm, request);
    else
        code = mpi_alltoallw(sendbuf, send.counts, send.displs, sendtypes, recvbuf, recv.counts, recv.displs, recvtypes,
                             comm);
    return narrow_release(&send, narrow_release(&recv, code));
}

static int reduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct narrow recv = narrow_of(recvcounts, NULL, local_size_of(comm));
    int code;
    if (!recv.fits)
        code = narrow_refuse(comm, request);
    else if (request)
        code = mpi_ireduce_scatter(sendbuf, recvbuf, recv.counts, datatype, op, comm, request);
    else
        code = mpi_reduce_scatter(sendbuf, recvbuf, recv.counts, datatype, op, comm);
    return narrow_release(&recv, code);
}

/* ---- calls -------------------------------------------------------------------------------------------------------------------------- */

int mpi_gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, NULL);
}

int mpi_igatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm, MPI_Request *request)
{
    return gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request);
}

int mpi_scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype,
                   void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, NULL);
}

int mpi_iscatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype,
                    void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    MPI_Request *request)
{
    return scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
}

int mpi_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                     const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, NULL);
}

int mpi_iallgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Request *request)
{
    return allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
}

int mpi_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                    void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                    MPI_Comm comm)
{
    return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, NULL);
}

int mpi_ialltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                     void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request *request)
{
    return alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request);
}

int mpi_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                    const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, NULL);
}

int mpi_ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    return alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request);
}

int mpi_reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm)
{
    return reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, NULL);
}

int mpi_ireduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
}

/* ---- persistent ---------------------------------------------------------------------------------------------------------------------- */

COLL_INIT_ONE(gatherv_init_c,
              (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
               const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
               MPI_Info info, MPI_Request *request),
              gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request))
COLL_INIT_ONE(scatterv_init_c,
              (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype,
               void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
               MPI_Request *request),
              scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
COLL_INIT_ONE(allgatherv_init_c,
              (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
               const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
               MPI_Info info, MPI_Request *request),
              allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
COLL_INIT_ONE(alltoallv_init_c,
              (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
               void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
               MPI_Comm comm, MPI_Info info, MPI_Request *request),
              alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request))
COLL_INIT_ONE(alltoallw_init_c,
              (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
               const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
               const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request),
              alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                        request))
COLL_INIT_ONE(reduce_scatter_init_c,
              (const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, MPI_Info info, MPI_Request *request),
              reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request))

#endif
