/* run_words: three ranks send to rank 1, which takes nothing, so that its death finds connections full of data. Without an argument the
 * default handler ends the job; with the argument "abort" a rank that gets an error calls MPI_Abort with 5. */
#include <mpi.h>
#include <stdlib.h>

enum { BYTES = 3000, PENDING = 4000 };

static int send_all(void)
{
    static char data[BYTES];
    static MPI_Request request[PENDING];
    static MPI_Status status[PENDING];
    for (int i = 0; i < PENDING; i++)
        MPI_Isend(data, BYTES, MPI_BYTE, 1, i, MPI_COMM_WORLD, &request[i]);
    return MPI_Waitall(PENDING, request, status);
}

/* Out of MPI, so that the MPI reads nothing. */
static void take_nothing(void)
{
    for (volatile int forever = 1; forever;)
        continue;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1)
        take_nothing();
    while (send_all() == MPI_SUCCESS)
        continue;
    MPI_Abort(MPI_COMM_WORLD, 5);
    return EXIT_FAILURE;
}
