/* query.c: what kinds of topologies have in common when they are asked. All answers are local: deaths and revokes do not matter. */
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"
#include "mpi/topo/topo.h"

#include <string.h>

struct comm *topo_of(MPI_Comm handle, enum topology_kind kind, int *code)
{
    struct comm *comm = comm_of(handle);
    if (comm && comm->topology && comm->topology->kind == kind)
        return comm;
    int size; /* the MPI below says what is wrong with a handle that is not ours */
    *code = comm ? error_raise(comm, MPI_ERR_TOPOLOGY) : native.comm_size(handle, &size);
    return NULL;
}

void topo_copy(int *into, int room, const int *from, int count)
{
    count = count < room ? count : room;
    if (count > 0)
        memcpy(into, from, (size_t)count * sizeof *into);
}

int mpi_topo_test(MPI_Comm handle, int *status)
{
    static const int kinds[] = {
        [TOPOLOGY_CART] = MPI_CART, [TOPOLOGY_GRAPH] = MPI_GRAPH, [TOPOLOGY_DIST_GRAPH] = MPI_DIST_GRAPH};
    const struct comm *comm = comm_of(handle);
    if (!comm)
        return native.topo_test(handle, status);
    *status = comm->topology ? kinds[comm->topology->kind] : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
