/* consumer_plain.c: a user's program that includes nothing but mpi.h, and says what it agreed on. */
#include <mpi.h>
#include <stdio.h>

#ifndef MPIX_ERR_PROC_FAILED
#error "no ULFM"
#endif

int main(int argc, char **argv)
{
    int rank, flag = 6, revoked;
    MPI_Comm survivors;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors);
    MPIX_Comm_agree(survivors, &flag);
    MPIX_Comm_is_revoked(survivors, &revoked);
    if (rank == 0)
        printf("agreed on %d, %s: right\n", flag, revoked ? "revoked" : "not revoked");
    MPI_Comm_free(&survivors);
    MPI_Finalize();
    return 0;
}
