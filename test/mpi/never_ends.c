/* never_ends: a library below the layer whose MPI_Finalize does not come back, as MPICH's over TCP now and then. */
#include <mpi.h>
#include <unistd.h>

int PMPI_Finalize(void)
{
    for (;;)
        pause();
}
