/* trap_threads: MPI_THREAD_MULTIPLE, every thread in calls on a communicator of its own while a peer dies; each recovers. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 3, VICTIM = 1, AFTER = 50 };

static void fail_at(int line, int code)
{
    fprintf(stderr, "%s:%d: rank %d: code %d\n", __FILE__, line, me, code);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define GOOD(call)                    \
    do {                              \
        int code_ = (call);           \
        if (code_ != MPI_SUCCESS)     \
            fail_at(__LINE__, code_); \
    } while (0)

static int turn(MPI_Comm comm, int number)
{
    int rank, size, got = -1, sum = 0;
    MPI_Request request[2];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (number % 2)
        return MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    int code = MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 1, comm, &request[0]);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 1, comm, &request[1]);
    int first = MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    int second = code == MPI_SUCCESS ? MPI_Wait(&request[1], MPI_STATUS_IGNORE) : code;
    return first != MPI_SUCCESS ? first : second;
}

static void *work(void *argument)
{
    MPI_Comm comm = *(MPI_Comm *)argument, living;
    int code = MPI_SUCCESS;
    for (int i = 0; code == MPI_SUCCESS; i++)
        code = turn(comm, i);
    if (code != MPIX_ERR_PROC_FAILED && code != MPIX_ERR_REVOKED)
        fail_at(__LINE__, code);
    GOOD(MPIX_Comm_revoke(comm));
    GOOD(MPIX_Comm_shrink(comm, &living));
    for (int i = 0; i < AFTER; i++)
        GOOD(turn(living, i));
    GOOD(MPI_Comm_free(&living));
    return NULL;
}

int main(int argc, char **argv)
{
    MPI_Comm comm[THREADS];
    pthread_t thread[THREADS];
    begin_threads(&argc, &argv, 40, MPI_THREAD_MULTIPLE);
    for (int t = 0; t < THREADS; t++) {
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm[t]));
        CHECK(pthread_create(&thread[t], NULL, work, &comm[t]) == 0);
    }
    AT("the main thread's messages with itself");
    for (int i = 0; i < 200; i++)
        GOOD(turn(MPI_COMM_SELF, i));
    die_if(me == VICTIM);
    AT("the end of the threads");
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    return end();
}
