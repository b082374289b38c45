/* calm: what recovery costs while nobody dies: agree, shrink and revoke beside the native barrier, in turns. A line of CSV for
 * each and each repetition: ranks, what, microseconds until all members are through.
 *
 *      bench-mpi-calm-openmpi REPEATS          as ranks, with the layer preloaded: see bench/mpi/run
 */
#include "calls.h"

#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>

enum { BARRIERS = 50, AGREES = 20, SHRINKS = 5 };

static int rank, ranks;

static void barrier(MPI_Comm world)
{
    native.Barrier(world);
}

static void agree(MPI_Comm world)
{
    int flag = 1;
    MPIX_Comm_agree(world, &flag);
}

static void shrink(MPI_Comm world)
{
    MPI_Comm smaller;
    MPIX_Comm_shrink(world, &smaller);
    MPI_Comm_free(&smaller);
}

static void report(const char *what, double seconds)
{
    if (rank == 0)
        printf("%d,%s,%.2f\n", ranks, what, 1e6 * seconds);
}

/* All begin and end together by the layer's barrier, which lets others run: MPICH's does not, and whoever is in it keeps a processor
 * for milliseconds from those who are out of it. */
static void turn(const char *what, void (*call)(MPI_Comm world), int times)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < times; i++)
        call(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    report(what, (MPI_Wtime() - start) / times);
}

/* Rank 0 revokes while all others wait for a message; until the last of them is told. All ranks are on one host: one clock. */
static void revoke(void)
{
    MPI_Comm copy;
    double start = 0, end;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        start = MPI_Wtime();
        MPIX_Comm_revoke(copy);
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, copy, MPI_STATUS_IGNORE);
    }
    end = MPI_Wtime();
    double last = end;
    MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    report("revoke", last - start);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int repeats = argc > 1 ? atoi(argv[1]) : 0;
    if (repeats < 1) {
        fputs("usage: bench-mpi-calm REPEATS\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    calls_find();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < repeats; i++) {
        turn("barrier", barrier, BARRIERS);
        turn("agree", agree, AGREES);
        turn("shrink", shrink, SHRINKS);
        revoke();
    }
    MPI_Finalize();
    return 0;
}
