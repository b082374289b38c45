/* never_ends: a library below the layer whose MPI_Finalize does not come back. With the file NEVER_MET, rank 1 is killed there, once
 * all others are in it too. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A byte in the file for each that is here. */
static void meet_and_die(const char *path)
{
    struct stat met = {0};
    int ranks, rank, fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (write(fd, ".", 1) != 1)
        _exit(EXIT_FAILURE);
    while (rank == 1 && met.st_size < ranks && fstat(fd, &met) == 0)
        usleep(1000);
    if (rank == 1)
        kill(getpid(), SIGKILL);
}

int PMPI_Finalize(void)
{
    if (getenv("NEVER_MET"))
        meet_and_die(getenv("NEVER_MET"));
    for (;;)
        pause();
}
