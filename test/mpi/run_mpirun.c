/* run_mpirun.c: says how it was started: its environment, where it is, its arguments. A rank that an argument names dies. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "none";
}

int main(int argc, char **argv)
{
    char here[4096];
    int rank, size, lives = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--hang") == 0)
            pause();
    MPI_Allreduce(MPI_IN_PLACE, &lives, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("fine %d of %d, X=%s, btl=%s, in %s, %d arguments: %s\n", rank, size, variable("X"),
           variable("OMPI_MCA_btl"), getcwd(here, sizeof here), argc - 1, argc > 1 ? argv[argc - 1] : "");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
