/* run_words: three ranks send to rank 1 as fast as they can. Without an argument the default handler ends the job when rank 1 dies; with the
 * argument "abort" a rank that gets an error calls MPI_Abort with 5. */
#include <mpi.h>
#include <stdlib.h>

enum { BYTES = 100000, PENDING = 16 };

static int send_all(void)
{
    static char data[BYTES];
    MPI_Request request[PENDING];
    MPI_Status status[PENDING];
    for (int i = 0; i < PENDING; i++)
        MPI_Isend(data, i % 2 ? BYTES : 100, MPI_BYTE, 1, i, MPI_COMM_WORLD, &request[i]);
    return MPI_Waitall(PENDING, request, status);
}

static int receive_one(void)
{
    static char data[BYTES];
    MPI_Status status;
    return MPI_Recv(data, BYTES, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
}

int main(int argc, char **argv)
{
    int rank, code = MPI_SUCCESS;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (code == MPI_SUCCESS)
        code = rank == 1 ? receive_one() : send_all();
    MPI_Abort(MPI_COMM_WORLD, 5);
    return EXIT_FAILURE;
}
