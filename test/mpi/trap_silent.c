/* trap_silent: a rank that computes for long without any MPI call is alive, and so is one that is blocked in a receive. The
 * time is many times the detector's. */
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Group failed;
    int got = -1;
    begin(&argc, &argv, 30);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    double start = MPI_Wtime();
    AT("computing");
    while (me == 0 && MPI_Wtime() - start < 3)
        ;
    if (me == 0)
        for (int r = 1; r < all; r++)
            OK(MPI_Send(&me, 1, MPI_INT, r, 1, MPI_COMM_WORLD));
    else
        OK(MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed));
    CHECK(group_size(failed) == 0);
    OK(MPI_Group_free(&failed));
    return end();
}
