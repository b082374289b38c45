/* points_coll.h: for points.c: every collective, with little and with much data, blocking and not; each checks its result. */
#ifndef KNELL_TEST_MPI_POINTS_COLL_H
#define KNELL_TEST_MPI_POINTS_COLL_H

#include "check.h"

#include <stdbool.h>

enum {
    PEERS = 8,
    LITTLE = 3,
    MUCH = 20000
}; /* integers to a block: MUCH is beyond eager messages, and in several segments */

static MPI_Comm comm; /* that of the job, as far as it lives */
static int rank, size;
static int from[PEERS * MUCH], into[PEERS * MUCH];
static int block, counts[PEERS], displs[PEERS];
static MPI_Datatype types[PEERS];
static bool later;

/* What rank r gives as its i-th, and what the ranks up to r give together. */
static int value(int r, int i)
{
    return 7 * r + i;
}

static int sum(int r, int i)
{
    return 7 * r * (r + 1) / 2 + (r + 1) * i;
}

/* ---- calls -------------------------------------------------------------------------------------------------------------------- */

#define ALL (block * size)
#define BOTH(call, icall, ...) (later ? CODE(icall(__VA_ARGS__, request)) : CODE(call(__VA_ARGS__)))
#define COLLECTIVE(name, call, icall, ...)     \
    static int name(MPI_Request *request)      \
    {                                          \
        return BOTH(call, icall, __VA_ARGS__); \
    }
COLLECTIVE(barrier, MPI_Barrier, MPI_Ibarrier, comm)
COLLECTIVE(bcast, MPI_Bcast, MPI_Ibcast, rank == 0 ? from : into, ALL, MPI_INT, 0, comm)
COLLECTIVE(reduce, MPI_Reduce, MPI_Ireduce, from, into, ALL, MPI_INT, MPI_SUM, 0, comm)
COLLECTIVE(allreduce, MPI_Allreduce, MPI_Iallreduce, from, into, ALL, MPI_INT, MPI_SUM, comm)
COLLECTIVE(gather, MPI_Gather, MPI_Igather, from, block, MPI_INT, into, block, MPI_INT, 0, comm)
COLLECTIVE(gatherv, MPI_Gatherv, MPI_Igatherv, from, block, MPI_INT, into, counts, displs, MPI_INT, 0, comm)
COLLECTIVE(scatter, MPI_Scatter, MPI_Iscatter, from, block, MPI_INT, into, block, MPI_INT, 0, comm)
COLLECTIVE(scatterv, MPI_Scatterv, MPI_Iscatterv, from, counts, displs, MPI_INT, into, block, MPI_INT, 0, comm)
COLLECTIVE(allgather, MPI_Allgather, MPI_Iallgather, from, block, MPI_INT, into, block, MPI_INT, comm)
COLLECTIVE(allgatherv, MPI_Allgatherv, MPI_Iallgatherv, from, block, MPI_INT, into, counts, displs, MPI_INT, comm)
COLLECTIVE(alltoall, MPI_Alltoall, MPI_Ialltoall, from, block, MPI_INT, into, block, MPI_INT, comm)
COLLECTIVE(alltoallv, MPI_Alltoallv, MPI_Ialltoallv, from, counts, displs, MPI_INT, into, counts, displs, MPI_INT, comm)
COLLECTIVE(alltoallw, MPI_Alltoallw, MPI_Ialltoallw, from, counts, displs, types, into, counts, displs, types, comm)
COLLECTIVE(reduce_scatter_block, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, from, into, block, MPI_INT,
           MPI_SUM, comm)
COLLECTIVE(reduce_scatter, MPI_Reduce_scatter, MPI_Ireduce_scatter, from, into, counts, MPI_INT, MPI_SUM, comm)
COLLECTIVE(scan, MPI_Scan, MPI_Iscan, from, into, ALL, MPI_INT, MPI_SUM, comm)
COLLECTIVE(exscan, MPI_Exscan, MPI_Iexscan, from, into, ALL, MPI_INT, MPI_SUM, comm)

/* ---- what must come of them --------------------------------------------------------------------------------------------------- */

static void nothing(void)
{
}

static void check_each(int count, int first, int (*wanted)(int, int), int r)
{
    for (int i = 0; i < count; i++)
        CHECK(into[i] == wanted(r, first + i));
}

static void from_root(void)
{
    if (rank > 0)
        check_each(ALL, 0, value, 0);
}
static void total(void)
{
    check_each(ALL, 0, sum, size - 1);
}
static void total_at_root(void)
{
    if (rank == 0)
        total();
}
static void blocks(void)
{
    for (int i = 0; i < ALL; i++)
        CHECK(into[i] == value(i / block, i % block));
}
static void blocks_at_root(void)
{
    if (rank == 0)
        blocks();
}
static void block_of_root(void)
{
    check_each(block, rank * block, value, 0);
}
static void exchanged(void)
{
    for (int i = 0; i < ALL; i++)
        CHECK(into[i] == value(i / block, rank * block + i % block));
}
static void block_of_total(void)
{
    check_each(block, rank * block, sum, size - 1);
}
static void up_to_me(void)
{
    check_each(ALL, 0, sum, rank);
}
static void before_me(void)
{
    if (rank > 0)
        check_each(ALL, 0, sum, rank - 1);
}

static const struct collective {
    int (*call)(MPI_Request *request);
    void (*check)(void);
} collectives[] = {
    {barrier, nothing},
    {bcast, from_root},
    {reduce, total_at_root},
    {allreduce, total},
    {gather, blocks_at_root},
    {gatherv, blocks_at_root},
    {scatter, block_of_root},
    {scatterv, block_of_root},
    {allgather, blocks},
    {allgatherv, blocks},
    {alltoall, exchanged},
    {alltoallv, exchanged},
    {alltoallw, exchanged},
    {scan, up_to_me},
    {reduce_scatter_block, block_of_total},
    {exscan, before_me},
    {reduce_scatter, block_of_total},
};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

/* ---- one of them ---------------------------------------------------------------------------------------------------------------- */

static void prepare(int (*call)(MPI_Request *request))
{
    for (int r = 0; r < size; r++) {
        counts[r] = block;
        displs[r] = r * block * (call == alltoallw ? (int)sizeof(int) : 1);
        types[r] = MPI_INT;
    }
    for (int i = 0; i < ALL; i++)
        into[i] = -1;
    for (int i = 0; i < ALL; i++)
        from[i] = value(rank, i);
}

/* Number 0, 1: the first with little data and blocking, with much and not; and so on. */
static int do_collective(int number)
{
    const struct collective *chosen = &collectives[number / 2];
    MPI_Request request = MPI_REQUEST_NULL;
    later = number % 2;
    block = later ? MUCH : LITTLE;
    prepare(chosen->call);
    int code = chosen->call(&request);
    if (code == MPI_SUCCESS && later)
        code = CODE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (code == MPI_SUCCESS)
        chosen->check();
    return code;
}

#endif
