/* points_topo.h: for points.c: topologies of all kinds, rings of the ranks that live, and an exchange with the neighbours on each; each checks
 * its result. */
#ifndef KNELL_TEST_MPI_POINTS_TOPO_H
#define KNELL_TEST_MPI_POINTS_TOPO_H

#include "points_coll.h"

static int done_with(MPI_Comm child, int code);

static int below(void)
{
    return (rank + size - 1) % size;
}

static int above(void)
{
    return (rank + 1) % size;
}

/* Block i must be the block from[i] of the rank of[i]. */
static void check_blocks(int count, const int *of, const int *which)
{
    for (int b = 0; b < count; b++)
        for (int i = 0; i < block; i++)
            CHECK(into[b * block + i] == value(of[b], which[b] * block + i));
}

static int exchange(MPI_Comm made, int count, const int *of, const int *which, bool much)
{
    MPI_Request request = MPI_REQUEST_NULL;
    block = much ? MUCH : LITTLE;
    for (int i = 0; i < 2 * block; i++) {
        into[i] = -1;
        from[i] = value(rank, i);
    }
    int code = much ? CODE(MPI_Ineighbor_alltoall(from, block, MPI_INT, into, block, MPI_INT, made, &request))
                    : CODE(MPI_Neighbor_alltoall(from, block, MPI_INT, into, block, MPI_INT, made));
    if (code == MPI_SUCCESS)
        code = CODE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (code == MPI_SUCCESS)
        check_blocks(count, of, which);
    return code;
}

/* What goes up comes from below. */
static int on_grid(MPI_Comm made)
{
    int of[] = {below(), above()}, which[] = {1, 0};
    int code = exchange(made, 2, of, which, false);
    return done_with(made, code == MPI_SUCCESS ? exchange(made, 2, of, which, true) : code);
}

static int by_cart(void)
{
    MPI_Comm made;
    int yes = 1, code = CODE(MPI_Cart_create(comm, 1, &size, &yes, 0, &made));
    return code == MPI_SUCCESS ? on_grid(made) : code;
}

static int by_cart_sub(void)
{
    MPI_Comm made, part;
    int dims[] = {1, size}, periods[] = {1, 1}, remain[] = {0, 1};
    int code = CODE(MPI_Cart_create(comm, 2, dims, periods, 1, &made));
    if (code != MPI_SUCCESS)
        return code;
    code = CODE(MPI_Cart_sub(made, remain, &part));
    if (code == MPI_SUCCESS)
        code = on_grid(part);
    return done_with(made, code);
}

/* Two edges between two ranks match in order. */
static int by_graph(void)
{
    MPI_Comm made;
    int ends[PEERS], edges[2 * PEERS], of[] = {below(), above()}, which[] = {size > 2, size <= 2};
    for (int r = 0; r < size; r++) {
        ends[r] = 2 * (r + 1);
        edges[2 * r] = (r + size - 1) % size;
        edges[2 * r + 1] = (r + 1) % size;
    }
    int code = CODE(MPI_Graph_create(comm, size, ends, edges, 0, &made));
    return code == MPI_SUCCESS ? done_with(made, exchange(made, 2, of, which, true)) : code;
}

static int by_adjacent(void)
{
    MPI_Comm made;
    int sources[] = {below(), above()}, destinations[] = {above(), below()}, which[] = {0, 1}, weights[] = {5, 7};
    int code = CODE(
        MPI_Dist_graph_create_adjacent(comm, 2, sources, weights, 2, destinations, weights, MPI_INFO_NULL, 0, &made));
    return code == MPI_SUCCESS ? done_with(made, exchange(made, 2, sources, which, false)) : code;
}

/* Everybody gives the edge that comes to it, and so it goes to the rank below. */
static int by_edges(void)
{
    MPI_Comm made;
    int source = below(), one = 1, first = 0;
    int code = CODE(MPI_Dist_graph_create(comm, 1, &source, &one, &rank, &one, MPI_INFO_NULL, 0, &made));
    return code == MPI_SUCCESS ? done_with(made, exchange(made, 1, &source, &first, false)) : code;
}

#endif
