/* make.c: communicators with a topology are made as others are (create/make.h). Ranks are kept, whatever `reorder` says. */
#include "mpi/base/gen/own.h"
#include "mpi/create/handle.h"
#include "mpi/create/make.h"
#include "mpi/error/error.h"
#include "mpi/topo/topo.h"

int topo_make(struct comm *parent, struct topology *topology, const int *member, int size, int code, MPI_Comm *newcomm)
{
    MPI_Comm handle;
    struct comm *made = NULL;
    create_handle_like(parent, false, &handle);
    struct making *making = making_start(parent, MAKING_CREATE, &(struct comm_group){member, size, 0}, handle,
                                         create_may_make(parent, code));
    making_topology(making, topology);
    topology_release(topology);
    int agreed = making_finish(making, &made);
    *newcomm = made ? made->handle : MPI_COMM_NULL;
    bool wrong = code == MPI_ERR_ARG || code == MPI_ERR_DIMS; /* this member's own arguments */
    return error_raise(parent, wrong ? code : agreed);
}

int topo_refuse(struct comm *comm, MPI_Comm *newcomm)
{
    *newcomm = MPI_COMM_NULL;
    return error_raise(comm, MPI_ERR_COMM);
}
