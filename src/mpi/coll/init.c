/* init.c: the calls that make persistent collectives (init.h). */
#include "mpi/coll/init.h"
#include "mpi/base/gen/own.h"

COLL_INIT(barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request *request), mpi_ibarrier(comm, request))
COLL_INIT(bcast_init,
          (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
           MPI_Request *request),
          mpi_ibcast(buffer, count, datatype, root, comm, request))
COLL_INIT(gather_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
          mpi_igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
COLL_INIT(gatherv_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
           const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
          mpi_igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request))
COLL_INIT(scatter_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
          mpi_iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
COLL_INIT(scatterv_init,
          (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf,
           int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
          mpi_iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
COLL_INIT(allgather_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
          mpi_iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
COLL_INIT(allgatherv_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
           const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
          mpi_iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
COLL_INIT(alltoall_init,
          (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
          mpi_ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
COLL_INIT(alltoallv_init,
          (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
           const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
           MPI_Request *request),
          mpi_ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request))
COLL_INIT(alltoallw_init,
          (const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
           void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
           MPI_Info info, MPI_Request *request),
          mpi_ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
                         request))
COLL_INIT(reduce_init,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
           MPI_Info info, MPI_Request *request),
          mpi_ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request))
COLL_INIT(allreduce_init,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
           MPI_Info info, MPI_Request *request),
          mpi_iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request))
COLL_INIT(reduce_scatter_block_init,
          (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
           MPI_Info info, MPI_Request *request),
          mpi_ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request))
COLL_INIT(reduce_scatter_init,
          (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
           MPI_Info info, MPI_Request *request),
          mpi_ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request))
COLL_INIT(scan_init,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
           MPI_Info info, MPI_Request *request),
          mpi_iscan(sendbuf, recvbuf, count, datatype, op, comm, request))
COLL_INIT(exscan_init,
          (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
           MPI_Info info, MPI_Request *request),
          mpi_iexscan(sendbuf, recvbuf, count, datatype, op, comm, request))
