/* topo_death: a member of a grid is killed in the middle of an exchange with its neighbours, again and again: one call after the other. All
 * survivors must get an error, nobody may touch their buffers after it, and the rest makes a smaller grid and goes on. Arguments: any of
 * "later" for the nonblocking calls, "told": the member dies just before the exchange, and nobody revokes: those that do not wait for the
 * dead hear from the others that they are out (with a long grace). */
#include "check.h"
#include "die_soon.h"

#include <stdbool.h>

enum { PIECE = 40000, SPOILT = 77, BLOCKS = 4, MUCH = BLOCKS * PIECE };

static MPI_Comm comm, grid;
static int rank, size, *from, *into;
static bool later, told;
static int counts[BLOCKS], displs[BLOCKS];
static MPI_Aint bytes[BLOCKS];
static MPI_Datatype types[BLOCKS];

#define FORM(call, icall, ...) (later ? icall(__VA_ARGS__, request) : call(__VA_ARGS__))

static int call(int which, MPI_Request *request)
{
    switch (which) {
    case 0:
        return FORM(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, from, PIECE, MPI_INT, into, PIECE, MPI_INT, grid);
    case 1:
        return FORM(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, from, PIECE, MPI_INT, into, PIECE, MPI_INT, grid);
    case 2:
        return FORM(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, from, counts, displs, MPI_INT, into, counts,
                    displs, MPI_INT, grid);
    case 3:
        return FORM(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, from, PIECE, MPI_INT, into, counts, displs,
                    MPI_INT, grid);
    default:
        return FORM(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, from, counts, bytes, types, into, counts, bytes,
                    types, grid);
    }
}

static int once(int which)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = call(which, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

static int until_error(int which)
{
    int code = MPI_SUCCESS;
    while (code == MPI_SUCCESS)
        code = once(which);
    return code;
}

/* As square as it can be; one direction periodic. */
static void make_grid(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0};
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Dims_create(size, 2, dims));
    OK(MPI_Cart_create(comm, 2, dims, periods, 0, &grid));
}

static void check_spoilt(const int *buffer)
{
    for (int i = 0; i < MUCH; i++)
        CHECK(buffer[i] == SPOILT);
}

static void lose_one(int which, int victim)
{
    MPI_Comm rest;
    make_grid();
    AT("the exchange");
    if (told)
        die_if(rank == victim);
    else if (rank == victim)
        die_soon(ITIMER_PROF);
    int code = told ? once(which) : until_error(which);
    CHECK(code == MPIX_ERR_PROC_FAILED || (told ? code == MPI_SUCCESS : code == MPIX_ERR_REVOKED));
    for (int i = 0; i < MUCH; i++)
        from[i] = into[i] = SPOILT;
    if (!told)
        OK(MPIX_Comm_revoke(grid));
    OK(MPIX_Comm_shrink(comm, &rest));
    OK(MPI_Comm_free(&grid));
    if (comm != MPI_COMM_WORLD)
        OK(MPI_Comm_free(&comm));
    comm = rest;
    OK(MPI_Barrier(comm));
    check_spoilt(from);
    check_spoilt(into);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 50);
    for (int i = 1; i < argc; i++) {
        later |= strcmp(argv[i], "later") == 0;
        told |= strcmp(argv[i], "told") == 0;
    }
    from = calloc(MUCH, sizeof *from);
    into = calloc(MUCH, sizeof *into);
    for (int i = 0; i < BLOCKS; i++) {
        counts[i] = PIECE;
        displs[i] = i * PIECE;
        bytes[i] = (MPI_Aint)sizeof(int) * displs[i];
        types[i] = MPI_INT;
    }
    comm = MPI_COMM_WORLD;
    for (int which = 0; which < 5; which++) {
        OK(MPI_Comm_size(comm, &size));
        lose_one(which, (int[]){0, size - 1, size / 2}[which % 3]);
    }
    return end();
}
