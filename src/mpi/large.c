/* large.c: the blocking collectives of MPI 4 that have arrays of large counts. The layer counts in int: what fits goes to the
 * call without _c, all else is MPI_ERR_COUNT. (Calls with single counts are generated; the nonblocking ones with arrays are
 * not carried, since theirs must last.) */
#include "mpi/error.h"
#include "mpi/gen/own.h"

#include <limits.h>
#include <stdlib.h>

#if MPI_VERSION >= 4

/* Counts and displacements of all ranks as int. Of ranks for which they mean nothing there are none. */
struct narrow {
    int *counts, *displs;
    bool fits;
};

static bool fits(long long value)
{
    return INT_MIN <= value && value <= INT_MAX;
}

static struct narrow narrow(const MPI_Count *counts, const MPI_Aint *displs, int size)
{
    struct narrow made = {malloc(((size_t)size + 1) * sizeof(int)), malloc(((size_t)size + 1) * sizeof(int)), true};
    if (!made.counts || !made.displs)
        knell__die("out of memory");
    for (int i = 0; i < size; i++) {
        made.fits = made.fits && fits(counts[i]) && (!displs || fits(displs[i]));
        made.counts[i] = (int)counts[i];
        made.displs[i] = displs ? (int)displs[i] : 0;
    }
    return made;
}

static int release(struct narrow *made, int code)
{
    free(made->counts);
    free(made->displs);
    return code;
}

/* How many ranks there are, and how many the root looks at. An unknown handle is for the small call to refuse. */
static int size_of(MPI_Comm handle)
{
    const struct knell__comm *comm = knell__comm_of(handle);
    return comm ? comm->size : 0;
}

static int size_at_root(MPI_Comm handle, int root)
{
    const struct knell__comm *comm = knell__comm_of(handle);
    return comm && comm->rank == root ? comm->size : 0;
}

int knell__mpi_gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                         const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct narrow recv = narrow(recvcounts, displs, size_at_root(comm, root));
    if (!recv.fits || (sendbuf != MPI_IN_PLACE && !fits(sendcount)))
        return release(&recv, knell__raise_large(comm));
    return release(&recv, knell__mpi_gatherv(sendbuf, (int)sendcount, sendtype, recvbuf, recv.counts, recv.displs, recvtype, root,
                                             comm));
}

int knell__mpi_scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype,
                          void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct narrow send = narrow(sendcounts, displs, size_at_root(comm, root));
    if (!send.fits || (recvbuf != MPI_IN_PLACE && !fits(recvcount)))
        return release(&send, knell__raise_large(comm));
    return release(&send, knell__mpi_scatterv(sendbuf, send.counts, send.displs, sendtype, recvbuf, (int)recvcount, recvtype,
                                              root, comm));
}

int knell__mpi_allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    struct narrow recv = narrow(recvcounts, displs, size_of(comm));
    if (!recv.fits || (sendbuf != MPI_IN_PLACE && !fits(sendcount)))
        return release(&recv, knell__raise_large(comm));
    return release(&recv, knell__mpi_allgatherv(sendbuf, (int)sendcount, sendtype, recvbuf, recv.counts, recv.displs, recvtype,
                                                comm));
}

int knell__mpi_alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype,
                           void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype,
                           MPI_Comm comm)
{
    struct narrow send = narrow(sendcounts, sdispls, sendbuf == MPI_IN_PLACE ? 0 : size_of(comm));
    struct narrow recv = narrow(recvcounts, rdispls, size_of(comm));
    int code = send.fits && recv.fits ? knell__mpi_alltoallv(sendbuf, send.counts, send.displs, sendtype, recvbuf, recv.counts,
                                                             recv.displs, recvtype, comm)
                                      : knell__raise_large(comm);
    return release(&send, release(&recv, code));
}

int knell__mpi_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    struct narrow send = narrow(sendcounts, sdispls, sendbuf == MPI_IN_PLACE ? 0 : size_of(comm));
    struct narrow recv = narrow(recvcounts, rdispls, size_of(comm));
    int code = send.fits && recv.fits ? knell__mpi_alltoallw(sendbuf, send.counts, send.displs, sendtypes, recvbuf, recv.counts,
                                                             recv.displs, recvtypes, comm)
                                      : knell__raise_large(comm);
    return release(&send, release(&recv, code));
}

int knell__mpi_reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op,
                                MPI_Comm comm)
{
    struct narrow recv = narrow(recvcounts, NULL, size_of(comm));
    int code = recv.fits ? knell__mpi_reduce_scatter(sendbuf, recvbuf, recv.counts, datatype, op, comm)
                         : knell__raise_large(comm);
    return release(&recv, code);
}

#endif
