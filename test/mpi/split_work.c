/* split_work: ranks work for some seconds, and after each death shrink and go on with whoever is left. Argument: how many seconds. Says
 * "ready" when the network may split; every survivor says with how many it came to the end. */
#include "check.h"

#include <stdbool.h>

enum { SECONDS = 80 };

/* One piece of work, and whether all who live have done it. */
static bool works(MPI_Comm comm, bool *over, double until)
{
    int size, mine[2] = {1, MPI_Wtime() >= until}, sum[2] = {0, 0};
    OK(MPI_Comm_size(comm, &size));
    int done = CODE(MPI_Allreduce(mine, sum, 2, MPI_INT, MPI_SUM, comm)) == MPI_SUCCESS;
    CHECK(!done || sum[0] == size);
    int is_whole = CODE(MPIX_Comm_agree(comm, &done)) == MPI_SUCCESS;
    *over = sum[1] > 0;
    return is_whole && done;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, SECONDS);
    MPI_Comm comm = MPI_COMM_WORLD;
    bool over = false;
    int size;
    OK(MPI_Barrier(comm));
    double until = MPI_Wtime() + (argc > 1 ? atoi(argv[1]) : 5);
    if (me == 0) {
        printf("ready\n");
        fflush(stdout);
    }
    while (!over) {
        if (works(comm, &over, until))
            continue;
        over = false;
        MPIX_Comm_revoke(comm);
        comm = shrunk(comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    OK(MPI_Comm_size(comm, &size));
    printf("%d left\n", size);
    return end();
}
