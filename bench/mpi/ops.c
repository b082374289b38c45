/* See ops.h. Roots go round, so that nobody runs ahead; only the thesis's tests keep theirs. */
#include "ops.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

enum { WINDOW = 64 };

int ops_rank, ops_ranks;

static char *from, *into;
static int counts[OPS_RANKS], displs[OPS_RANKS], doubles_each[OPS_RANKS];
static MPI_Datatype types[OPS_RANKS];

void ops_begin(void)
{
    MPI_Comm_rank(WORLD, &ops_rank);
    MPI_Comm_size(WORLD, &ops_ranks);
    from = calloc((size_t)ops_ranks, OPS_LARGEST);
    into = calloc((size_t)ops_ranks, OPS_LARGEST);
    if (!from || !into || ops_ranks > OPS_RANKS) {
        fprintf(stderr, "no memory for %d ranks, or more than %d\n", ops_ranks, OPS_RANKS);
        MPI_Abort(WORLD, 1);
    }
}

static int doubles(int bytes)
{
    return bytes / (int)sizeof(double);
}

void ops_prepare(int bytes)
{
    for (int i = 0; i < ops_ranks; i++) {
        counts[i] = bytes;
        displs[i] = i * bytes;
        doubles_each[i] = doubles(bytes);
        types[i] = MPI_BYTE;
    }
}

/* ---- point to point: neighbours in pairs; an odd one out has nothing to do ------------------------------------------------- */

static int partner(void)
{
    int other = ops_rank ^ 1;
    return other < ops_ranks ? other : MPI_PROC_NULL;
}

static void pingpong(const struct calls *c, int bytes, int turn)
{
    (void)turn;
    if (ops_rank % 2 == 0)
        c->Send(from, bytes, MPI_BYTE, partner(), 1, WORLD);
    c->Recv(into, bytes, MPI_BYTE, partner(), 1, WORLD, IGNORE);
    if (ops_rank % 2 == 1)
        c->Send(from, bytes, MPI_BYTE, partner(), 1, WORLD);
}

static void one_way(const struct calls *c, bool sending, int bytes, int other)
{
    MPI_Request request;
    if (sending)
        c->Isend(from, bytes, MPI_BYTE, other, 2, WORLD, &request);
    else
        c->Irecv(into, bytes, MPI_BYTE, other, 2, WORLD, &request);
    c->Wait(&request, IGNORE);
}

static void ipingpong(const struct calls *c, int bytes, int turn)
{
    (void)turn;
    one_way(c, ops_rank % 2 == 0, bytes, partner());
    one_way(c, ops_rank % 2 == 1, bytes, partner());
}

static void exchange(const struct calls *c, int bytes, int turn)
{
    MPI_Request request[2];
    MPI_Status status[2];
    (void)turn;
    c->Irecv(into, bytes, MPI_BYTE, partner(), 3, WORLD, &request[0]);
    c->Isend(from, bytes, MPI_BYTE, partner(), 3, WORLD, &request[1]);
    c->Waitall(2, request, status);
}

static void sendrecv(const struct calls *c, int bytes, int turn)
{
    (void)turn;
    c->Sendrecv(from, bytes, MPI_BYTE, partner(), 4, into, bytes, MPI_BYTE, partner(), 4, WORLD, IGNORE);
}

/* As tests of the message rate do it: many at once, then a word from their receiver. */
static void window(const struct calls *c, int bytes, int turn)
{
    MPI_Request request[WINDOW];
    MPI_Status status[WINDOW];
    bool sending = (ops_rank + turn) % 2 == 0;
    for (int i = 0; i < WINDOW; i++)
        if (sending)
            c->Isend(from + i * bytes, bytes, MPI_BYTE, partner(), 6, WORLD, &request[i]);
        else
            c->Irecv(into + i * bytes, bytes, MPI_BYTE, partner(), 6, WORLD, &request[i]);
    c->Waitall(WINDOW, request, status);
    if (sending)
        c->Recv(into, 0, MPI_BYTE, partner(), 7, WORLD, IGNORE);
    else
        c->Send(from, 0, MPI_BYTE, partner(), 7, WORLD);
}

/* ---- collectives: each with its nonblocking kind --------------------------------------------------------------------------- */

/* COLLECTIVE(function, Name, arguments): `name` calls MPI_Name, `iname` MPI_Iname and MPI_Wait. */
#define COLLECTIVE(function, Name, ...)                                 \
    static void function(const struct calls *c, int bytes, int turn)    \
    {                                                                   \
        (void)bytes, (void)turn;                                        \
        c->Name(__VA_ARGS__);                                           \
    }                                                                   \
    static void i##function(const struct calls *c, int bytes, int turn) \
    {                                                                   \
        MPI_Request request;                                            \
        (void)bytes, (void)turn;                                        \
        c->I##function(__VA_ARGS__, &request);                          \
        c->Wait(&request, IGNORE);                                      \
    }
#define ROOT (turn % ops_ranks)
#define SUMS doubles(bytes), MPI_DOUBLE, MPI_SUM

COLLECTIVE(barrier, Barrier, WORLD)
COLLECTIVE(bcast, Bcast, into, bytes, MPI_BYTE, ROOT, WORLD)
COLLECTIVE(reduce, Reduce, from, into, SUMS, ROOT, WORLD)
COLLECTIVE(allreduce, Allreduce, from, into, SUMS, WORLD)
COLLECTIVE(reduce_scatter, Reduce_scatter, from, into, doubles_each, MPI_DOUBLE, MPI_SUM, WORLD)
COLLECTIVE(reduce_scatter_block, Reduce_scatter_block, from, into, SUMS, WORLD)
COLLECTIVE(scan, Scan, from, into, SUMS, WORLD)
COLLECTIVE(exscan, Exscan, from, into, SUMS, WORLD)
COLLECTIVE(gather, Gather, from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, ROOT, WORLD)
COLLECTIVE(gatherv, Gatherv, from, bytes, MPI_BYTE, into, counts, displs, MPI_BYTE, ROOT, WORLD)
COLLECTIVE(scatter, Scatter, from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, ROOT, WORLD)
COLLECTIVE(scatterv, Scatterv, from, counts, displs, MPI_BYTE, into, bytes, MPI_BYTE, ROOT, WORLD)
COLLECTIVE(allgather, Allgather, from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, WORLD)
COLLECTIVE(allgatherv, Allgatherv, from, bytes, MPI_BYTE, into, counts, displs, MPI_BYTE, WORLD)
COLLECTIVE(alltoall, Alltoall, from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, WORLD)
COLLECTIVE(alltoallv, Alltoallv, from, counts, displs, MPI_BYTE, into, counts, displs, MPI_BYTE, WORLD)
COLLECTIVE(alltoallw, Alltoallw, from, counts, displs, types, into, counts, displs, types, WORLD)

/* ---- the thesis's tests 1 to 5, 128 of each in a row ------------------------------------------------------------------------ */

static void thesis_1(const struct calls *c, int bytes, int turn)
{
    (void)turn;
    c->Allreduce(from, into, bytes / (int)sizeof(int), MPI_INT, MPI_SUM, WORLD);
}

static int across(void)
{
    int half = ops_ranks / 2;
    return ops_rank < half ? ops_rank + half : ops_rank < 2 * half ? ops_rank - half : MPI_PROC_NULL;
}

static void thesis_2(const struct calls *c, int bytes, int turn)
{
    (void)turn;
    if (ops_rank < ops_ranks / 2)
        c->Send(from, bytes / (int)sizeof(int), MPI_INT, across(), 5, WORLD);
    else
        c->Recv(into, bytes / (int)sizeof(int), MPI_INT, across(), 5, WORLD, IGNORE);
}

static void thesis_3(const struct calls *c, int bytes, int turn)
{
    (void)turn;
    one_way(c, ops_rank < ops_ranks / 2, bytes, across());
}

static void thesis_4(const struct calls *c, int bytes, int turn)
{
    (void)turn;
    c->Bcast(into, bytes / (int)sizeof(int), MPI_INT, 0, WORLD);
}

static void thesis_5(const struct calls *c, int bytes, int turn)
{
    thesis_1(c, bytes, turn);
    thesis_2(c, bytes, turn);
}

/* ---- all of them ------------------------------------------------------------------------------------------------------------ */

#define BOTH(function)                                      \
    {#function, "coll", function, OPS_LARGEST, 0},          \
    {                                                       \
        "i" #function, "icoll", i##function, OPS_LARGEST, 0 \
    }

const struct op ops[] = {
    {"pingpong", "p2p", pingpong, OPS_LARGEST, 0},
    {"ipingpong", "p2p", ipingpong, OPS_LARGEST, 0},
    {"exchange", "p2p", exchange, OPS_LARGEST, 0},
    {"sendrecv", "p2p", sendrecv, OPS_LARGEST, 0},
    {"window", "rate", window, 8, 256},
    {"barrier", "coll", barrier, 0, 0},
    {"ibarrier", "icoll", ibarrier, 0, 0},
    BOTH(bcast),
    BOTH(reduce),
    BOTH(allreduce),
    BOTH(reduce_scatter),
    BOTH(reduce_scatter_block),
    BOTH(scan),
    BOTH(exscan),
    BOTH(gather),
    BOTH(gatherv),
    BOTH(scatter),
    BOTH(scatterv),
    BOTH(allgather),
    BOTH(allgatherv),
    BOTH(alltoall),
    BOTH(alltoallv),
    BOTH(alltoallw),
    {"thesis-1", "thesis", thesis_1, OPS_LARGEST, 128},
    {"thesis-2", "thesis", thesis_2, OPS_LARGEST, 128},
    {"thesis-3", "thesis", thesis_3, OPS_LARGEST, 128},
    {"thesis-4", "thesis", thesis_4, OPS_LARGEST, 128},
    {"thesis-5", "thesis", thesis_5, OPS_LARGEST, 128},
    {0},
};
