/* thesis_calls: tests 1 to 6 of the thesis on a fault simulator (chapter 6.2): each 128 times with k integers, first with all
 * alive, then (test 6) with j dead, the root alive or dead as the argument says: on the world every operation that needs a
 * dead process fails, others do not; on the survivors all is as before. */
#include "check.h"

enum { TIMES = 128, MOST = 4096, DEAD = 2 };
static int from[MOST], into[MOST], first_dead;

static int is_dead(MPI_Comm comm, int rank)
{
    return comm == MPI_COMM_WORLD && rank >= first_dead && rank < first_dead + DEAD;
}

static int expected(int broken)
{
    return broken ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

static void test_1(MPI_Comm comm, int k, int dead)
{
    FAILS(MPI_Allreduce(from, into, k, MPI_INT, MPI_SUM, comm), expected(dead));
}

/* The lower half sends to the upper half. */
static void test_2(MPI_Comm comm, int k, int dead)
{
    int rank, size;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    int half = size / 2, peer = rank < half ? rank + half : rank - half;
    if (peer >= 2 * half || rank >= 2 * half)
        return;
    if (rank < half)
        FAILS(MPI_Send(from, k, MPI_INT, peer, 2, comm), expected(dead && is_dead(comm, peer)));
    else
        FAILS(MPI_Recv(into, k, MPI_INT, peer, 2, comm, MPI_STATUS_IGNORE), expected(dead && is_dead(comm, peer)));
}

static void test_3(MPI_Comm comm, int k, int dead)
{
    int rank, size;
    MPI_Request request;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    int half = size / 2, peer = rank < half ? rank + half : rank - half;
    if (peer >= 2 * half || rank >= 2 * half)
        return;
    if (rank < half)
        OK(MPI_Isend(from, k, MPI_INT, peer, 3, comm, &request));
    else
        OK(MPI_Irecv(into, k, MPI_INT, peer, 3, comm, &request));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), expected(dead && is_dead(comm, peer)));
}

static void test_4(MPI_Comm comm, int k, int dead)
{
    FAILS(MPI_Bcast(from, k, MPI_INT, 0, comm), expected(dead));
}

static void test_5(MPI_Comm comm, int k, int dead)
{
    test_1(comm, k, dead);
    test_2(comm, k, dead);
}

static void all_tests(MPI_Comm comm, int times, int dead)
{
    static void (*const test[])(MPI_Comm, int, int) = {test_1, test_2, test_3, test_4, test_5};
    for (int k = 1; k <= MOST; k *= 64)
        for (int t = 0; t < 5; t++)
            for (int i = 0; i < times; i++)
                test[t](comm, k, dead);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 40);
    first_dead = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < MOST; i++)
        from[i] = i;
    all_tests(MPI_COMM_WORLD, TIMES, 0);
    meet(MPI_COMM_WORLD);
    die_if(is_dead(MPI_COMM_WORLD, me));
    for (int d = 0; d < DEAD; d++)
        learn_death(MPI_COMM_WORLD, first_dead + d);
    meet(MPI_COMM_WORLD); /* all know */
    all_tests(MPI_COMM_WORLD, 8, 1);
    MPI_Comm living = shrunk(MPI_COMM_WORLD);
    all_tests(living, TIMES, 0);
    return end();
}
