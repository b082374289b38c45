/* sem_finalize: a rank is killed at a random time in MPI_Finalize; the others return from it. Arguments: seed, and the longest
 * time in microseconds between the call and the kill. */
#include "check.h"

#include <pthread.h>
#include <time.h>

static void *kill_later(void *delay)
{
    nanosleep(delay, NULL);
    kill(getpid(), SIGKILL);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    begin(&argc, &argv, 20);
    CHECK(argc == 3);
    unsigned seed = (unsigned)atoi(argv[1]);
    int victim = rand_r(&seed) % all;
    struct timespec delay = {0, rand_r(&seed) % (1000 * atol(argv[2]))};
    meet(MPI_COMM_WORLD);
    if (me == victim)
        CHECK(pthread_create(&thread, NULL, kill_later, &delay) == 0);
    OK(MPI_Finalize());
    if (me == victim)
        for (;;) /* it was quicker */
            pause();
    printf("fine\n");
    return 0;
}
