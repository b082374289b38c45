/* run_app: for the tests of `knell run`: works until `deaths` ranks have died, each time shrinking to the survivors, then ends.
 * Usage: run_app deaths [status [victim]]: the exit status of the highest survivor; who kills itself at its fifth step.
 * run_app hang: rank 0 never comes to the barrier where the others are. */
#include "check.h"

#include <time.h>

/* About a millisecond between calls: a job that works, not one that polls. */
static void work(void)
{
    struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

static int step(MPI_Comm comm)
{
    int one = 1, sum = 0;
    work();
    return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
}

static void recover(MPI_Comm *comm)
{
    MPI_Comm survivors;
    MPIX_Comm_revoke(*comm);
    OK(MPIX_Comm_shrink(*comm, &survivors));
    MPI_Comm_set_errhandler(survivors, MPI_ERRORS_RETURN);
    *comm = survivors;
}

static void hang(void)
{
    for (; me == 0; pause())
        ;
    MPI_Barrier(MPI_COMM_WORLD);
}

static int argument(int argc, char **argv, int number, int otherwise)
{
    return argc > number ? atoi(argv[number]) : otherwise;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 60);
    int deaths = argument(argc, argv, 1, 0), status = argument(argc, argv, 2, 0), victim = argument(argc, argv, 3, -1);
    int size = all, rank = me;
    if (argc > 1 && strcmp(argv[1], "hang") == 0)
        hang();
    MPI_Comm comm = MPI_COMM_WORLD;
    AT("work");
    for (int steps = 0; size > all - deaths; steps++) {
        if (me == victim && steps == 5)
            knell_kill_me();
        if (step(comm) != MPI_SUCCESS)
            recover(&comm);
        OK(MPI_Comm_size(comm, &size));
    }
    OK(MPI_Comm_rank(comm, &rank));
    end();
    return rank == size - 1 ? status : 0;
}
