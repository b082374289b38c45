/* start: how long MPI_Init takes, at the rank where it takes longest, and what a rank needs of memory with all that stands before it:
 * supervisor and front. One row: seconds of MPI_Init, KiB a rank on average. Without the layer, unless it is preloaded.
 * With an argument it leaves without MPI_Finalize: in MPICH's own, over several hosts by TCP, ranks wait for each other for ever. */
#include "kib.h"

#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    int rank, size;
    double took, longest, begin = now();
    MPI_Init(&argc, &argv);
    took = now() - begin;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    long mine = kib_of_rank(), sum = 0;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.3f,%ld\n", longest, sum / size);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1)
        _exit(0);
    MPI_Finalize();
    return 0;
}
