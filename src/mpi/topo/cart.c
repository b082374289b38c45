/* cart.c: grids: MPI_Cart_create, MPI_Cart_sub, MPI_Cart_map. */
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"
#include "mpi/topo/topo.h"

#include <stdlib.h>

/* ---- places in a grid ---------------------------------------------------------------------------------------------------------- */

/* So far apart are the ranks of neighbours in that direction. */
static int stride(const struct topology *cart, int direction)
{
    int ranks = 1;
    for (int i = direction + 1; i < cart->ndims; i++)
        ranks *= cart->dims[i];
    return ranks;
}

int cart_coordinate(const struct topology *cart, int rank, int direction)
{
    return rank / stride(cart, direction) % cart->dims[direction];
}

int cart_shifted(const struct topology *cart, int rank, int direction, long long far)
{
    int size = cart->dims[direction], at = cart_coordinate(cart, rank, direction);
    long long to = at + far;
    if (cart->periods[direction])
        to = (to % size + size) % size;
    else if (to < 0 || to >= size)
        return MPI_PROC_NULL;
    return rank + ((int)to - at) * stride(cart, direction);
}

/* ---- a grid --------------------------------------------------------------------------------------------------------------------- */

/* As the member of that rank has it: in each direction first the neighbour below, then the one above. */
static struct topology *cart_new(int ndims, const int *dims, const int *periods, int rank)
{
    struct topology *cart = topology_new(TOPOLOGY_CART, 4 * (size_t)ndims);
    int *kept = topology_take(cart, periods, ndims), *neighbours = topology_take(cart, NULL, 2 * ndims);
    for (int i = 0; i < ndims; i++)
        kept[i] = periods[i] != 0;
    cart->ndims = ndims;
    cart->dims = topology_take(cart, dims, ndims);
    cart->periods = kept;
    for (int i = 0; i < ndims; i++) {
        int *pair = neighbours + 2 * (size_t)i;
        pair[0] = cart_shifted(cart, rank, i, -1);
        pair[1] = cart_shifted(cart, rank, i, 1);
    }
    cart->indegree = cart->outdegree = 2 * ndims;
    cart->sources = cart->destinations = neighbours;
    return cart;
}

/* The size of a grid among `most` processes: an MPI code. */
static int cart_size(int most, int ndims, const int *dims, const int *periods, int *size)
{
    long long ranks = 1;
    *size = 0;
    if (ndims < 0 || (ndims > 0 && (!dims || !periods)))
        return MPI_ERR_ARG;
    for (int i = 0; i < ndims; i++)
        if (dims[i] < 1)
            return MPI_ERR_DIMS;
    for (int i = 0; i < ndims && ranks <= most; i++)
        ranks *= dims[i];
    if (ranks > most)
        return MPI_ERR_ARG;
    *size = (int)ranks;
    return MPI_SUCCESS;
}

/* ---- calls ---------------------------------------------------------------------------------------------------------------------- */

int mpi_cart_create(MPI_Comm handle, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle);
    int size;
    if (!comm)
        return native.cart_create(handle, ndims, dims, periods, reorder, newcomm);
    if (comm_is_inter(comm))
        return topo_refuse(comm, newcomm);
    int code = cart_size(comm->size, ndims, dims, periods, &size);
    bool member = comm->rank < size;
    return topo_make(comm, member ? cart_new(ndims, dims, periods, comm->rank) : NULL, comm->process_of,
                     member ? size : 0, code, newcomm);
}

int mpi_cart_map(MPI_Comm handle, int ndims, const int dims[], const int periods[], int *newrank)
{
    struct comm *comm = comm_of(handle);
    int size;
    if (!comm)
        return native.cart_map(handle, ndims, dims, periods, newrank);
    if (comm_is_inter(comm))
        return error_raise(comm, MPI_ERR_COMM);
    int code = cart_size(comm->size, ndims, dims, periods, &size);
    if (code == MPI_SUCCESS)
        *newrank = comm->rank < size ? comm->rank : MPI_UNDEFINED;
    return error_raise(comm, code);
}

/* ---- a part of a grid ------------------------------------------------------------------------------------------------------------ */

static bool is_in_part(const struct topology *cart, const int *remain, int rank, int of)
{
    for (int i = 0; i < cart->ndims; i++)
        if (!remain[i] && cart_coordinate(cart, rank, i) != cart_coordinate(cart, of, i))
            return false;
    return true;
}

/* The members that differ from this one in the remaining directions only; their order is that of the smaller grid. */
static int part_members(const struct comm *comm, const int *remain, int *member, int *rank)
{
    int count = 0;
    for (int i = 0; i < comm->size; i++) {
        if (i == comm->rank)
            *rank = count;
        if (is_in_part(comm->topology, remain, i, comm->rank))
            member[count++] = comm->process_of[i];
    }
    return count;
}

static struct topology *part_new(const struct topology *cart, const int *remain, int rank)
{
    int *kept = malloc((2 * (size_t)cart->ndims + 1) * sizeof *kept), *periods = kept + cart->ndims, count = 0;
    if (!kept)
        layer_die("out of memory");
    for (int i = 0; i < cart->ndims; i++)
        if (remain[i]) {
            kept[count] = cart->dims[i];
            periods[count++] = cart->periods[i];
        }
    struct topology *part = cart_new(count, kept, periods, rank);
    free(kept);
    return part;
}

int mpi_cart_sub(MPI_Comm handle, const int remain_dims[], MPI_Comm *newcomm)
{
    int code, rank = 0;
    struct comm *comm = topo_of(handle, TOPOLOGY_CART, &code);
    if (!comm)
        return code;
    if (!remain_dims && comm->topology->ndims > 0)
        return topo_make(comm, NULL, comm->process_of, 0, MPI_ERR_ARG, newcomm);
    int *member = malloc((size_t)comm->size * sizeof *member);
    if (!member)
        layer_die("out of memory");
    int size = part_members(comm, remain_dims, member, &rank);
    code = topo_make(comm, part_new(comm->topology, remain_dims, rank), member, size, MPI_SUCCESS, newcomm);
    free(member);
    return code;
}
