/* sem_anysource: a receive from anybody, and somebody is dead: an error until the death is acknowledged. */
#include "check.h"

static const MPI_Comm world = MPI_COMM_WORLD;

static void acknowledge(void)
{
    OK(MPIX_Comm_failure_ack(world));
}

/* Rank 1 sends when rank 0 asks for it. */
static void serve(int tag)
{
    OK(MPI_Recv(NULL, 0, MPI_INT, 0, tag, world, MPI_STATUS_IGNORE));
    OK(MPI_Send(&tag, 1, MPI_INT, 0, tag, world));
}

static void ask(int tag)
{
    OK(MPI_Send(NULL, 0, MPI_INT, 1, tag, world));
}

static void check_got(int got, int tag, const MPI_Status *status)
{
    CHECK(got == tag && status->MPI_SOURCE == 1 && status->MPI_TAG == tag);
}

/* Posted before the death of rank 2, completed after its acknowledgement; the same request. */
static void pending(void)
{
    MPI_Request request[2];
    MPI_Status status;
    int got[2] = {-1, -1}, flag = 0, index = -1, code;
    OK(MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 10, world, &request[0]));
    OK(MPI_Irecv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 11, world, &request[1]));
    OK(MPI_Send(NULL, 0, MPI_INT, 2, 1, world)); /* now it dies */
    FAILS(MPI_Wait(&request[0], &status), MPIX_ERR_PROC_FAILED_PENDING);
    CHECK(request[0] != MPI_REQUEST_NULL);
    FAILS(MPI_Wait(&request[0], &status), MPIX_ERR_PROC_FAILED_PENDING); /* as often as it is asked */
    FAILS(MPI_Test(&request[1], &flag, &status), MPIX_ERR_PROC_FAILED_PENDING);
    code = CODE(MPI_Waitany(2, request, &index, &status));
    CHECK(code == MPIX_ERR_PROC_FAILED_PENDING && request[0] != MPI_REQUEST_NULL && request[1] != MPI_REQUEST_NULL);
    FAILS(MPI_Recv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 99, world, &status), MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Probe(MPI_ANY_SOURCE, 99, world, &status), MPIX_ERR_PROC_FAILED);
    acknowledge();
    OK(MPI_Test(&request[0], &flag, &status));
    CHECK(!flag);
    ask(10);
    OK(MPI_Wait(&request[0], &status));
    check_got(got[0], 10, &status);
    CHECK(request[0] == MPI_REQUEST_NULL);
    ask(11);
    OK(MPI_Waitany(2, request, &index, &status));
    CHECK(index == 1);
    check_got(got[1], 11, &status);
}

/* All deaths are acknowledged: blocking and not, as if nothing had been. Rank 3 then dies: not any more. */
static void acknowledged(void)
{
    MPI_Request request;
    MPI_Status status;
    int got = -1;
    ask(12);
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status));
    check_got(got, 12, &status);
    ask(13);
    OK(MPI_Probe(MPI_ANY_SOURCE, 13, world, &status));
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 13, world, &status));
    check_got(got, 13, &status);
    OK(MPI_Send(NULL, 0, MPI_INT, 3, 1, world));
    FAILS(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 99, world, &status), MPIX_ERR_PROC_FAILED);
    OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 14, world, &request));
    FAILS(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED_PENDING);
    acknowledge();
    ask(14);
    OK(MPI_Wait(&request, &status));
    check_got(got, 14, &status);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 20);
    meet(world);
    if (me == 0) {
        pending();
        acknowledged();
    } else if (me == 1) {
        for (int tag = 10; tag <= 14; tag++)
            serve(tag);
    } else {
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE));
        die_if(1);
    }
    return end();
}
