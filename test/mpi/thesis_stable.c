/* thesis_stable: tests 7, 8 and 11 of the thesis (chapter 6.2): nothing leaks, nothing hangs.
 * 7: many allreduces with the root and others dead. 8: communicators split off and freed, many times. 11: the same with a dead
 * process, and a barrier and a broadcast under way on each that are never completed. */
#include "memory.h"

enum { TIMES = 128 };

static void test_7(MPI_Comm comm, int times)
{
    int sum, one = 1;
    for (int i = 0; i < times; i++)
        FAILS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPIX_ERR_PROC_FAILED);
}

static void test_8(MPI_Comm comm, int times)
{
    for (int i = 0; i < times; i++) {
        MPI_Comm part;
        OK(MPI_Comm_split(comm, (me + i) % 2, me, &part));
        OK(MPI_Barrier(part));
        OK(MPI_Comm_free(&part));
    }
}

/* On a fresh communicator each time, which loses nobody more: the dead one is a member of its parent's parent. */
static void test_11(MPI_Comm comm, int times)
{
    static int value[TIMES];
    for (int i = 0; i < times; i++) {
        MPI_Comm part;
        MPI_Request request[2];
        OK(MPI_Comm_split(comm, 0, me, &part));
        OK(MPI_Ibarrier(part, &request[0]));
        OK(MPI_Ibcast(&value[i], 1, MPI_INT, 0, part, &request[1]));
        OK(MPI_Request_free(&request[0]));
        OK(MPI_Request_free(&request[1]));
        OK(MPI_Comm_free(&part));
    }
}

/* Under way when a member dies: rank 3 takes part in neither. */
static void test_11_death(MPI_Comm comm)
{
    MPI_Comm part;
    static int value; /* a freed request still has its buffer */
    MPI_Request request[2];
    int code[2];
    OK(MPI_Comm_split(comm, 0, me, &part));
    meet(part);
    die_if(me == 3);
    OK(MPI_Ibarrier(part, &request[0]));
    OK(MPI_Ibcast(&value, 1, MPI_INT, 0, part, &request[1]));
    if (me == 0) { /* one asks, the others forget them */
        code[0] = CODE(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
        code[1] = CODE(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
        CHECK(code[0] == MPIX_ERR_PROC_FAILED && (code[1] == MPIX_ERR_PROC_FAILED || code[1] == MPI_SUCCESS));
    } else {
        OK(MPI_Request_free(&request[0]));
        OK(MPI_Request_free(&request[1]));
    }
    OK(MPI_Comm_free(&part));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 40);
    check_no_leak("test 8", test_8, MPI_COMM_WORLD, TIMES);
    test_11_death(MPI_COMM_WORLD);
    learn_death(MPI_COMM_WORLD, 3);
    MPI_Comm living = shrunk(MPI_COMM_WORLD);
    check_no_leak("test 8 after a death", test_8, living, TIMES);
    check_no_leak("test 11", test_11, living, TIMES);
    meet(living);
    die_if(me == 0);
    learn_death(MPI_COMM_WORLD, 0);
    check_no_leak("test 7", test_7, MPI_COMM_WORLD, TIMES);
    return end();
}
