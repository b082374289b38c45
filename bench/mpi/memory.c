/* memory: what a rank needs of memory on one host, when it has spoken with two others, or with all. One row: KiB a rank on average.
 * What ranks tell each other here besides goes around the ring of those two.
 *
 *      bench-mpi-memory-openmpi two|all          as ranks, the layer preloaded or not
 */
#include "kib.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

/* All slots of a pair and all of its data ring are used once: docs/design/carrier.md. */
enum { SMALL = 160, LARGE = 20, BYTES = 4000 };

static char from[BYTES], into[BYTES];
static int rank, ranks;

static void speak(int to, int other)
{
    enum { ALL = SMALL + LARGE };
    MPI_Request request[2 * ALL];
    MPI_Status status[2 * ALL];
    for (int i = 0; i < ALL; i++)
        MPI_Irecv(into, i < SMALL ? 8 : BYTES, MPI_BYTE, other, 0, WORLD, &request[i]);
    for (int i = 0; i < ALL; i++)
        MPI_Isend(from, i < SMALL ? 8 : BYTES, MPI_BYTE, to, 0, WORLD, &request[ALL + i]);
    MPI_Waitall(2 * ALL, request, status);
}

static int at(int distance)
{
    return (rank + ranks + distance) % ranks;
}

/* Of all ranks, at rank 0. Each looks while all the others wait: all are there. */
static long sum_of_kib(void)
{
    long sum = 0;
    for (int round = 0; round < 3; round++) { /* all have spoken; sum; all have been asked */
        if (rank > 0)
            MPI_Recv(&sum, 1, MPI_LONG, at(-1), 1, WORLD, IGNORE);
        if (round == 1)
            sum += kib_of_rank();
        MPI_Send(&sum, 1, MPI_LONG, at(1), 1, WORLD);
        if (rank == 0)
            MPI_Recv(&sum, 1, MPI_LONG, at(-1), 1, WORLD, IGNORE);
    }
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &ranks);
    if (argc != 2 || (strcmp(argv[1], "two") != 0 && strcmp(argv[1], "all") != 0) || ranks < 3) {
        fputs("usage: bench-mpi-memory two|all, as three ranks or more\n", stderr);
        MPI_Abort(WORLD, 2);
    }
    speak(at(1), at(-1));
    speak(at(-1), at(1));
    for (int distance = 2; argv[1][0] == 'a' && distance <= ranks - 2; distance++)
        speak(at(distance), at(-distance));
    long sum = sum_of_kib();
    if (rank == 0)
        printf("%ld\n", sum / ranks);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
