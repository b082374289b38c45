/* sem_end: after a death MPI_Finalize does not wait for one that has ended, also not for a zombie. */
#include "check.h"

#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 20);
    meet(MPI_COMM_WORLD);
    die_if(me == 1);
    learn_death(MPI_COMM_WORLD, 1);
    double start = now();
    OK(MPI_Finalize());
    double took = now() - start;
    if (took < 0.8) /* a ghost that does not go is waited for for two seconds */
        printf("fine\n");
    else
        fprintf(stderr, "sem_end: rank %d was in MPI_Finalize for %.1f s\n", me, took);
    return 0;
}
