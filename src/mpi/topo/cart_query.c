/* cart_query.c: what is asked of a grid. */
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/topo/topo.h"

int mpi_cartdim_get(MPI_Comm handle, int *ndims)
{
    int code;
    const struct comm *comm = topo_of(handle, TOPOLOGY_CART, &code);
    if (!comm)
        return code;
    *ndims = comm->topology->ndims;
    return MPI_SUCCESS;
}

/* In as many directions as there is room for. */
static void coordinates(const struct topology *cart, int rank, int most, int *coords)
{
    for (int i = 0; i < cart->ndims && i < most; i++)
        coords[i] = cart_coordinate(cart, rank, i);
}

int mpi_cart_get(MPI_Comm handle, int maxdims, int dims[], int periods[], int coords[])
{
    int code;
    struct comm *comm = topo_of(handle, TOPOLOGY_CART, &code);
    if (!comm)
        return code;
    const struct topology *cart = comm->topology;
    if (maxdims < 0 || (maxdims > 0 && cart->ndims > 0 && (!dims || !periods || !coords)))
        return error_raise(comm, MPI_ERR_ARG);
    topo_copy(dims, maxdims, cart->dims, cart->ndims);
    topo_copy(periods, maxdims, cart->periods, cart->ndims);
    coordinates(cart, comm->rank, maxdims, coords);
    return MPI_SUCCESS;
}

int mpi_cart_coords(MPI_Comm handle, int rank, int maxdims, int coords[])
{
    int code;
    struct comm *comm = topo_of(handle, TOPOLOGY_CART, &code);
    if (!comm)
        return code;
    if (rank < 0 || rank >= comm->size)
        return error_raise(comm, MPI_ERR_RANK);
    if (maxdims < 0 || (maxdims > 0 && comm->topology->ndims > 0 && !coords))
        return error_raise(comm, MPI_ERR_ARG);
    coordinates(comm->topology, rank, maxdims, coords);
    return MPI_SUCCESS;
}

/* In a direction that is periodic any coordinate is one of the grid. */
int mpi_cart_rank(MPI_Comm handle, const int coords[], int *rank)
{
    int code, found = 0;
    struct comm *comm = topo_of(handle, TOPOLOGY_CART, &code);
    if (!comm)
        return code;
    const struct topology *cart = comm->topology;
    if (!coords && cart->ndims > 0)
        return error_raise(comm, MPI_ERR_ARG);
    for (int i = 0; i < cart->ndims && found != MPI_PROC_NULL; i++)
        found = cart_shifted(cart, found, i, coords[i]);
    if (found == MPI_PROC_NULL)
        return error_raise(comm, MPI_ERR_ARG);
    *rank = found;
    return MPI_SUCCESS;
}

int mpi_cart_shift(MPI_Comm handle, int direction, int disp, int *rank_source, int *rank_dest)
{
    int code;
    struct comm *comm = topo_of(handle, TOPOLOGY_CART, &code);
    if (!comm)
        return code;
    if (direction < 0 || direction >= comm->topology->ndims)
        return error_raise(comm, MPI_ERR_DIMS);
    *rank_source = cart_shifted(comm->topology, comm->rank, direction, -(long long)disp);
    *rank_dest = cart_shifted(comm->topology, comm->rank, direction, disp);
    return MPI_SUCCESS;
}
