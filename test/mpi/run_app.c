/* run_app: for the tests of `knell run`: works until `deaths` ranks have died, each time shrinking to the survivors, then ends.
 * Usage: run_app deaths [status]: the exit status of the highest survivor. */
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

int main(int argc, char **argv)
{
    begin(&argc, &argv, 60);
    int deaths = argc > 1 ? atoi(argv[1]) : 0, status = argc > 2 ? atoi(argv[2]) : 0, size = all, rank = me;
    MPI_Comm comm = MPI_COMM_WORLD;
    AT("work");
    while (size > all - deaths) {
        if (step(comm) != MPI_SUCCESS)
            recover(&comm);
        OK(MPI_Comm_size(comm, &size));
    }
    OK(MPI_Comm_rank(comm, &rank));
    end();
    return rank == size - 1 ? status : 0;
}
