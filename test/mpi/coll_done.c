/* coll_done: a rank dies at once after a collective has returned there. It had done its part, so the collective must succeed at
 * every member that was inside it; only the next one fails. Then the rest shrinks and loses its next rank, down to one.
 * In every collective here no member can return before all have entered it.
 * Arguments: which one, "later" for the nonblocking kind. */
#include "check.h"

#include <stdbool.h>

enum { PEERS = 16, PIECE = 1000 };

static MPI_Comm comm;
static int rank, size;
static bool later;
static int from[PEERS * PIECE], into[PEERS * PIECE];

#define FORM(call, icall, ...) (later ? icall(__VA_ARGS__, request) : call(__VA_ARGS__))

static int do_barrier(MPI_Request *request)
{
    return later ? MPI_Ibarrier(comm, request) : MPI_Barrier(comm);
}
static int do_allreduce(MPI_Request *request)
{
    return FORM(MPI_Allreduce, MPI_Iallreduce, from, into, 10, MPI_INT, MPI_SUM, comm);
}
static int do_allgather(MPI_Request *request)
{
    return FORM(MPI_Allgather, MPI_Iallgather, from, PIECE, MPI_INT, into, PIECE, MPI_INT, comm);
}
static int do_alltoall(MPI_Request *request)
{
    return FORM(MPI_Alltoall, MPI_Ialltoall, from, 100, MPI_INT, into, 100, MPI_INT, comm);
}

static const struct {
    const char *name;
    int (*call)(MPI_Request *request);
} collectives[] = {
    {"barrier", do_barrier}, {"allreduce", do_allreduce}, {"allgather", do_allgather}, {"alltoall", do_alltoall}};

static int once(int which)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = collectives[which].call(&request);
    return code == MPI_SUCCESS && later ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

/* The last rank, or the first: they are at different places of the trees and rings. */
static void lose_one(int which)
{
    int victim = size % 2 ? 0 : size - 1, code = MPI_SUCCESS;
    for (int i = 0; i < 20 && code == MPI_SUCCESS; i++)
        code = once(which);
    if (code != MPI_SUCCESS)
        fprintf(stderr, "rank %d of %d failed in a %s that had returned at rank %d\n", rank, size,
                collectives[which].name, victim);
    CHECK(code == MPI_SUCCESS);
    die_if(rank == victim);
    while (code == MPI_SUCCESS)
        code = once(which);
    CHECK(code == MPIX_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 50);
    int which = argc > 1 ? atoi(argv[1]) : 0;
    later = argc > 2;
    comm = MPI_COMM_WORLD;
    for (rank = me, size = all; size > 1;) {
        MPI_Comm rest;
        at = collectives[which].name;
        lose_one(which);
        OK(MPIX_Comm_shrink(comm, &rest));
        if (comm != MPI_COMM_WORLD)
            OK(MPI_Comm_free(&comm));
        comm = rest;
        OK(MPI_Comm_rank(comm, &rank));
        OK(MPI_Comm_size(comm, &size));
    }
    return end();
}
