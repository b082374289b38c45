/* mpi_pingpong.c: N: two ranks send eight bytes there and back N times, after a tenth of that to warm up. Rank 0 prints the median of a round trip
 * in nanoseconds, and the 99th percentile. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void there_and_back(int rank)
{
    int64_t word = rank;
    if (rank == 0)
        MPI_Send(&word, 1, MPI_INT64_T, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_INT64_T, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(&word, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, n = argc > 1 ? atoi(argv[1]) : 10000;
    int64_t *took = calloc((size_t)n + 1, sizeof *took);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = -n / 10; took && i < n; i++) {
        int64_t from = now();
        there_and_back(rank);
        if (i >= 0)
            took[i] = now() - from;
    }
    if (took && rank == 0) {
        qsort(took, (size_t)n, sizeof *took, by_size);
        printf("%lld %lld\n", (long long)took[n / 2], (long long)took[n - 1 - n / 100]);
    }
    free(took);
    MPI_Finalize();
    return 0;
}
