/* coll_death: one collective after the other is done over and over until a member is killed in the middle of it. All survivors
 * must get an error, nobody may touch their buffers after it, and the rest shrinks and goes on with the next collective.
 * Arguments: the first collective, how many, and any of "later" for the nonblocking ones, "told": the member dies just before the
 * collective, and nobody revokes: those that do not wait for the dead hear from the others that they are out (with a long
 * KNELL_GRACE_NS nothing else ends their waiting). */
#include "check.h"
#include "die_soon.h"

#include <stdbool.h>

enum { PIECE = 40000, PEERS = 8, MUCH = 14 * PIECE, SPOILT = 0x5a5a5a5a }; /* MUCH: goes down a chain */

static MPI_Comm comm;
static int rank, size;
static bool later, told;
static int *from, *into;
static int counts[PEERS], displs[PEERS];
static MPI_Datatype types[PEERS];

/* ---- the collectives ------------------------------------------------------------------------------------------------------------ */

#define FORM(call, icall, ...) (later ? icall(__VA_ARGS__, request) : call(__VA_ARGS__))

static int do_barrier(MPI_Request *request)
{
    return later ? MPI_Ibarrier(comm, request) : MPI_Barrier(comm);
}
static int do_bcast(MPI_Request *request)
{
    return FORM(MPI_Bcast, MPI_Ibcast, into, MUCH, MPI_INT, 1, comm);
}
static int do_reduce(MPI_Request *request)
{
    return FORM(MPI_Reduce, MPI_Ireduce, from, into, PIECE, MPI_INT, MPI_SUM, 1, comm);
}
static int do_allreduce(MPI_Request *request)
{
    return FORM(MPI_Allreduce, MPI_Iallreduce, from, into, PIECE, MPI_INT, MPI_SUM, comm);
}
static int do_allreduce_little(MPI_Request *request)
{
    return FORM(MPI_Allreduce, MPI_Iallreduce, from, into, 2, MPI_INT, MPI_SUM, comm);
}
static int do_gather(MPI_Request *request)
{
    return FORM(MPI_Gather, MPI_Igather, from, PIECE, MPI_INT, into, PIECE, MPI_INT, 1, comm);
}
static int do_gatherv(MPI_Request *request)
{
    return FORM(MPI_Gatherv, MPI_Igatherv, from, PIECE, MPI_INT, into, counts, displs, MPI_INT, 1, comm);
}
static int do_scatter(MPI_Request *request)
{
    return FORM(MPI_Scatter, MPI_Iscatter, from, PIECE, MPI_INT, into, PIECE, MPI_INT, 1, comm);
}
static int do_scatterv(MPI_Request *request)
{
    return FORM(MPI_Scatterv, MPI_Iscatterv, from, counts, displs, MPI_INT, into, PIECE, MPI_INT, 1, comm);
}
static int do_allgather(MPI_Request *request)
{
    return FORM(MPI_Allgather, MPI_Iallgather, from, PIECE, MPI_INT, into, PIECE, MPI_INT, comm);
}
static int do_allgatherv(MPI_Request *request)
{
    return FORM(MPI_Allgatherv, MPI_Iallgatherv, from, PIECE, MPI_INT, into, counts, displs, MPI_INT, comm);
}
static int do_alltoall(MPI_Request *request)
{
    return FORM(MPI_Alltoall, MPI_Ialltoall, from, PIECE, MPI_INT, into, PIECE, MPI_INT, comm);
}
static int do_alltoallv(MPI_Request *request)
{
    return FORM(MPI_Alltoallv, MPI_Ialltoallv, from, counts, displs, MPI_INT, into, counts, displs, MPI_INT, comm);
}
static int do_alltoallw(MPI_Request *request)
{
    return FORM(MPI_Alltoallw, MPI_Ialltoallw, from, counts, displs, types, into, counts, displs, types, comm);
}
static int do_reduce_scatter_block(MPI_Request *request)
{
    return FORM(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, from, into, PIECE, MPI_INT, MPI_SUM, comm);
}
static int do_reduce_scatter(MPI_Request *request)
{
    return FORM(MPI_Reduce_scatter, MPI_Ireduce_scatter, from, into, counts, MPI_INT, MPI_SUM, comm);
}
static int do_scan(MPI_Request *request)
{
    return FORM(MPI_Scan, MPI_Iscan, from, into, PIECE, MPI_INT, MPI_SUM, comm);
}
static int do_exscan(MPI_Request *request)
{
    return FORM(MPI_Exscan, MPI_Iexscan, from, into, PIECE, MPI_INT, MPI_SUM, comm);
}

static const struct {
    const char *name;
    int (*call)(MPI_Request *request);
} collectives[] = {
    {"barrier", do_barrier},     {"bcast", do_bcast},
    {"reduce", do_reduce},       {"allreduce", do_allreduce},
    {"gather", do_gather},       {"gatherv", do_gatherv},
    {"scatter", do_scatter},     {"scatterv", do_scatterv},
    {"allgather", do_allgather}, {"allgatherv", do_allgatherv},
    {"alltoall", do_alltoall},   {"alltoallv", do_alltoallv},
    {"alltoallw", do_alltoallw}, {"reduce_scatter_block", do_reduce_scatter_block},
    {"scan", do_scan},           {"reduce_scatter", do_reduce_scatter},
    {"exscan", do_exscan},       {"allreduce, little", do_allreduce_little},
};

/* ---- a death in the middle --------------------------------------------------------------------------------------------------------- */

static int once(int which)
{
    MPI_Request request;
    int code = collectives[which].call(&request);
    return code == MPI_SUCCESS && later ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

static int until_error(int which)
{
    int code = MPI_SUCCESS;
    while (code == MPI_SUCCESS)
        code = once(which);
    return code;
}

static void spoil(int *buffer)
{
    for (int i = 0; i < MUCH; i++)
        buffer[i] = SPOILT;
}

static void check_spoilt(const int *buffer)
{
    for (int i = 0; i < MUCH; i++)
        CHECK(buffer[i] == SPOILT);
}

/* The error is everybody's; from then on the buffers are the program's. */
static void lose_one(int which, int victim)
{
    MPI_Comm rest;
    at = collectives[which].name;
    if (told)
        die_if(rank == victim);
    else if (rank == victim)
        die_soon(ITIMER_VIRTUAL);
    int code = told ? once(which) : until_error(which);
    CHECK(code == MPIX_ERR_PROC_FAILED || (told ? code == MPI_SUCCESS : code == MPIX_ERR_REVOKED));
    spoil(from);
    spoil(into);
    at = "revoke and shrink";
    if (!told)
        OK(MPIX_Comm_revoke(comm));
    OK(MPIX_Comm_shrink(comm, &rest));
    if (comm != MPI_COMM_WORLD)
        OK(MPI_Comm_free(&comm));
    comm = rest;
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Barrier(comm));
    check_spoilt(from);
    check_spoilt(into);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 50);
    int first = argc > 1 ? atoi(argv[1]) : 0, many = argc > 2 ? atoi(argv[2]) : 1;
    for (int i = 3; i < argc; i++) {
        later |= strcmp(argv[i], "later") == 0;
        told |= strcmp(argv[i], "told") == 0;
    }
    from = calloc((size_t)MUCH, sizeof *from);
    into = calloc((size_t)MUCH, sizeof *into);
    for (int i = 0; i < PEERS; i++) {
        counts[i] = PIECE;
        displs[i] = i * PIECE;
        types[i] = MPI_INT;
    }
    comm = MPI_COMM_WORLD;
    rank = me;
    size = all;
    for (int i = 0; i < many; i++) {
        if (first + i == 12) /* alltoallw counts its displacements in bytes */
            for (int p = 0; p < PEERS; p++)
                displs[p] *= (int)sizeof(int);
        lose_one(first + i, (int[]){0, size - 1, size / 2}[(first + i) % 3]);
        for (int p = 0; p < PEERS; p++)
            displs[p] = p * PIECE;
    }
    return end();
}
