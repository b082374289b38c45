/* steady: figure 8's program: one operation for some seconds, by whatever MPI it finds, the layer preloaded or not. Prints how many
 * microseconds one takes. local: a call that sends nothing.
 *
 *      bench-mpi-steady-openmpi allreduce|alltoall|pingpong|local BYTES SECONDS          as ranks
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 50, LARGEST = 1 << 20 };

static int ranks;
static char *from, *into;

static void ping_pong(int bytes)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank < 2 && rank == 0)
        MPI_Send(from, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank < 2)
        MPI_Recv(into, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(from, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

static void once(const char *what, int bytes)
{
    int rank;
    if (!strcmp(what, "allreduce"))
        MPI_Allreduce(from, into, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(what, "pingpong"))
        ping_pong(bytes);
    else if (!strcmp(what, "local"))
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    else
        MPI_Alltoall(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static double turn(const char *what, int bytes, int times)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < times; i++)
        once(what, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / times;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int bytes = argc == 4 ? atoi(argv[2]) : 0;
    if (bytes < 8 || bytes > LARGEST) {
        fputs("usage: bench-mpi-steady allreduce|alltoall|pingpong|local BYTES SECONDS\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    from = calloc((size_t)ranks, (size_t)bytes);
    into = calloc((size_t)ranks, (size_t)bytes);
    turn(argv[1], bytes, WARM);
    int times = 1 + (int)(atof(argv[3]) / turn(argv[1], bytes, WARM));
    MPI_Bcast(&times, 1, MPI_INT, 0, MPI_COMM_WORLD);
    double each = turn(argv[1], bytes, times);
    if (rank == 0)
        printf("%.4f\n", 1e6 * each);
    MPI_Finalize();
    return 0;
}
