/* run_ignored: for run_ignored.sh: a program that has no call for recovery and does not look at codes. Four ranks, rank 1 is killed before
 * its first MPI_Barrier; all others are in it when they hear of that. Then:
 * `ring`: each waits for the next that lives. `fail`: they call collectives for ever. `few`: some collectives, for two seconds, and the
 * end. `work`: they wait for rank 0, which works for three seconds. `abort`: rank 0 ends the job, the others wait
 * for each other. `leave`: they end with status 7. `called`: as `ring`, but it has made a call for recovery, whose name it
 * found at run time. With the argument `threads` it has MPI_THREAD_MULTIPLE, and in `work` it
 * is another thread of rank 0 that works. Compiled with HAS_CALL it has one in its table of symbols, and does not call it. */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef HAS_CALL
#include <mpi-ext.h>
extern int (*has_call)(MPI_Comm comm);
int (*has_call)(MPI_Comm comm) = MPIX_Comm_revoke;
#endif

static int me;

static void ring(void)
{
    static const int next[] = {2, 0, 3, 0};
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, next[me], 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* So many collectives with a pause after each. */
static void fail(int times, unsigned pause_us)
{
    for (int i = 0; i < times; i++) {
        int mine = 1, sum = 0;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        usleep(pause_us);
    }
}

/* Sends to the others, and to rank 0 itself if that waits meanwhile. */
static void *work_and_send(void *first)
{
    int value = 0;
    time_t until = time(NULL) + 3;
    while (time(NULL) < until)
        continue;
    for (int to = *(int *)first; to < 4; to++)
        if (to != 1)
            MPI_Send(&value, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
    return NULL;
}

static void work(int threads)
{
    int value = 0, first = threads ? 0 : 2;
    pthread_t thread;
    if (me == 0 && threads)
        pthread_create(&thread, NULL, work_and_send, &first);
    else if (me == 0)
        work_and_send(&first);
    if (me != 0 || threads)
        MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 0 && threads)
        pthread_join(thread, NULL);
}

static void call(void)
{
    int flag, (*is_revoked)(MPI_Comm comm, int *flag);
    *(void **)&is_revoked = dlsym(RTLD_DEFAULT, "MPIX_Comm_is_revoked");
    if (me == 0)
        is_revoked(MPI_COMM_WORLD, &flag);
    ring();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int status = 0, provided;
    if (argc > 2 && strcmp(argv[2], "threads") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(mode, "ring") == 0)
        ring();
    else if (strcmp(mode, "leave") == 0)
        status = 7;
    else if (strcmp(mode, "fail") == 0)
        fail(1000000, 1000);
    else if (strcmp(mode, "few") == 0)
        fail(5, 400000);
    else if (strcmp(mode, "work") == 0)
        work(argc > 2);
    else if (strcmp(mode, "abort") == 0 && me == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    else if (strcmp(mode, "abort") == 0)
        ring();
    else
        call();
    MPI_Finalize();
    printf("fine\n");
    return status;
}
