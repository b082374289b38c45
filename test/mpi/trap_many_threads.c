/* trap_many_threads: MPI_THREAD_MULTIPLE. Every thread has a communicator of its own and does on it what there is: nonblocking
 * collectives, waits for many, messages, duplicates that it makes and frees. Two ranks die, one after the other; every thread
 * revokes, shrinks and goes on. Sums are checked all the while. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, DEATHS = 2, TURNS_TO_DEATH = 20, TURNS_AT_LAST = 30 };

static void fail_at(int line, const char *what, int code)
{
    fprintf(stderr, "%s:%d: rank %d: %s: %d\n", __FILE__, line, me, what, code);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define GOOD(call)                           \
    do {                                     \
        int code_ = (call);                  \
        if (code_ != MPI_SUCCESS)            \
            fail_at(__LINE__, #call, code_); \
    } while (0)
#define RIGHT(x)                      \
    do {                              \
        if (!(x))                     \
            fail_at(__LINE__, #x, 0); \
    } while (0)

static int worse(int a, int b)
{
    return a != MPI_SUCCESS ? a : b;
}

/* Three collectives under way at once, waited for together. */
static int collectives(MPI_Comm comm, int rank, int size)
{
    int sum = 0, told = rank == size - 1 ? 4711 : 0, codes = MPI_SUCCESS;
    MPI_Request request[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status[3];
    int code = MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request[0]);
    if (code == MPI_SUCCESS)
        code = MPI_Ibcast(&told, 1, MPI_INT, size - 1, comm, &request[1]);
    if (code == MPI_SUCCESS)
        code = MPI_Ibarrier(comm, &request[2]);
    int waited = MPI_Waitall(3, request, status);
    for (int i = 0; waited == MPI_ERR_IN_STATUS && i < 3; i++)
        if (status[i].MPI_ERROR == MPI_ERR_PENDING)
            codes = worse(codes, MPI_Wait(&request[i], MPI_STATUS_IGNORE));
        else
            codes = worse(codes, status[i].MPI_ERROR);
    code = worse(code, waited == MPI_ERR_IN_STATUS ? codes : waited);
    RIGHT(code != MPI_SUCCESS || (sum == size * (size - 1) / 2 && told == 4711));
    return code;
}

static int messages(MPI_Comm comm, int rank, int size)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, got[2] = {-1, -1}, first;
    MPI_Request request[2];
    int code = MPI_Irecv(&got[0], 1, MPI_INT, left, 1, comm, &request[0]);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Isend(&rank, 1, MPI_INT, right, 1, comm, &request[1]);
    if (code != MPI_SUCCESS)
        return worse(code, MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    code = MPI_Waitany(2, request, &first, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++)
        code = worse(code, MPI_Wait(&request[i], MPI_STATUS_IGNORE));
    if (code == MPI_SUCCESS)
        code = MPI_Sendrecv(&rank, 1, MPI_INT, left, 2, &got[1], 1, MPI_INT, right, 2, comm, MPI_STATUS_IGNORE);
    RIGHT(code != MPI_SUCCESS || (got[0] == left && got[1] == right));
    return code;
}

static int duplicates(MPI_Comm comm, int rank, int size)
{
    MPI_Comm child;
    int sum = 0, code = MPI_Comm_dup(comm, &child);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, child);
    RIGHT(code != MPI_SUCCESS || sum == size * (size - 1) / 2);
    GOOD(MPI_Comm_free(&child));
    return code;
}

static int turn(MPI_Comm comm, int number)
{
    int rank, size;
    GOOD(MPI_Comm_rank(comm, &rank));
    GOOD(MPI_Comm_size(comm, &size));
    return number % 3 == 0   ? collectives(comm, rank, size)
           : number % 3 == 1 ? messages(comm, rank, size)
                             : duplicates(comm, rank, size);
}

/* The ranks 1 and 2 of the world die, in different threads and at different turns. */
static int dies(int thread, int generation, int number)
{
    return me == generation + 1 && generation < DEATHS && thread == generation && number == TURNS_TO_DEATH + generation;
}

struct worker {
    MPI_Comm comm;
    int number;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    MPI_Comm comm = worker->comm, living;
    int size = all;
    for (int generation = 0, number = 0; size > all - DEATHS || number < TURNS_AT_LAST; number++) {
        if (dies(worker->number, generation, number))
            knell_kill_me();
        int code = turn(comm, number);
        if (code == MPI_SUCCESS)
            continue;
        if (code != MPIX_ERR_PROC_FAILED && code != MPIX_ERR_REVOKED)
            fail_at(__LINE__, "neither a death nor a revoke", code);
        GOOD(MPIX_Comm_revoke(comm));
        GOOD(MPIX_Comm_shrink(comm, &living));
        GOOD(MPI_Comm_free(&comm));
        GOOD(MPI_Comm_size(living, &size));
        comm = living;
        generation = all - size;
        number = -1;
    }
    GOOD(MPI_Comm_free(&comm));
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker worker[THREADS];
    pthread_t thread[THREADS];
    begin_threads(&argc, &argv, 40, MPI_THREAD_MULTIPLE);
    for (int t = 0; t < THREADS; t++) {
        worker[t].number = t;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &worker[t].comm));
    }
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&thread[t], NULL, work, &worker[t]) == 0);
    AT("the end of the threads");
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    return end();
}
