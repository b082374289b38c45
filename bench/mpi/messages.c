/* messages: how many messages an operation takes, by counting one of each, for 8 bytes and for 1 MiB. A line of CSV: ranks, operation,
 * bytes, messages of all ranks together, the most of one rank, datagrams of all ranks together.
 *
 *      bench-mpi-messages-openmpi          as ranks, with the layer and count.c's library preloaded: see bench/mpi/run
 */
#include "count.h"
#include "ops.h"

#include <mpi-ext.h>
#include <stdio.h>
#include <string.h>

static void agree(const struct calls *calls, int bytes, int turn)
{
    int flag = 1;
    (void)calls, (void)bytes, (void)turn;
    MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
}

static void shrink(const struct calls *calls, int bytes, int turn)
{
    MPI_Comm smaller;
    (void)calls, (void)bytes, (void)turn;
    MPIX_Comm_shrink(MPI_COMM_WORLD, &smaller);
    MPI_Comm_free(&smaller);
}

static const struct op recovery[] = {{"agree", "ulfm", agree, 0, 0}, {"shrink", "ulfm", shrink, 0, 0}, {0}};

/* The native calls around it are not counted: they do not come through the layer. */
static void count(const struct op *op, int bytes)
{
    ops_prepare(bytes);
    native.Barrier(MPI_COMM_WORLD);
    unsigned long mine[2] = {count_messages, count_datagrams}, sum[2], most;
    op->run(&layer, bytes, 0);
    native.Barrier(MPI_COMM_WORLD); /* acknowledgements too */
    mine[0] = count_messages - mine[0];
    mine[1] = count_datagrams - mine[1];
    native.Reduce(mine, sum, 2, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    native.Reduce(mine, &most, 1, MPI_UNSIGNED_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (ops_rank == 0)
        printf("%d,%s,%d,%lu,%lu,%lu\n", ops_ranks, op->name, op->largest ? bytes : 0, sum[0], most, sum[1]);
    fflush(stdout);
}

static void count_all(const struct op *op)
{
    for (; op->name; op++) {
        if (!strcmp(op->group, "thesis") || !strcmp(op->group, "icoll") || !strcmp(op->group, "rate"))
            continue; /* of the same messages */
        count(op, 8);
        if (op->largest)
            count(op, op->largest);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    calls_find();
    ops_begin();
    count_all(ops);
    count_all(recovery);
    MPI_Finalize();
    return 0;
}
