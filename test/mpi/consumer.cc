/* consumer.cc: a program of strangers in C++, compiled with the MPI's own mpicxx: Open MPI's brings a library of its own that calls MPI
 * before main. Rank 1 dies; an exception leaves the loop. */
#include <csignal>
#include <iostream>
#include <mpi.h>
#include <mpi-ext.h>
#include <stdexcept>

static void check(int code)
{
    if (code != MPI_SUCCESS)
        throw std::runtime_error("an MPI call failed");
}

static void work(int rank)
{
    for (int step = 0;; step++) {
        if (rank == 1 && step == 10)
            raise(SIGKILL);
        check(MPI_Barrier(MPI_COMM_WORLD));
    }
}

int main(int argc, char **argv)
{
    int rank, left;
    MPI_Comm survivors;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        work(rank);
    } catch (const std::runtime_error &) {
        MPIX_Comm_revoke(MPI_COMM_WORLD);
    }
    MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors);
    MPI_Comm_size(survivors, &left);
    if (rank == 0)
        std::cout << "C++: " << left << " of 4 ranks left" << std::endl;
    MPI_Comm_free(&survivors);
    MPI_Finalize();
    return 0;
}
