/* sem_persistent_told: a member that is out of a persistent collective tells those who wait for it there, also when it has told them before
 * that it is out of another one. With a grace that nobody waits for. Three ranks, one death. */
#include "check.h"

#ifdef OPEN_MPI
#define MPI_Bcast_init MPIX_Bcast_init
#endif

enum { DEAD = 2, TAG = 1 };

/* Rank 0 is the root, and comes only when it knows of the death: twice, so that it has told rank 1 of the first. */
static void come_late(MPI_Request *request)
{
    OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    learn_death(MPI_COMM_WORLD, DEAD);
    FAILS(MPI_Barrier(MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED);
    for (int i = 0; i < 2; i++) {
        OK(MPI_Start(&request[i]));
        FAILS(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
        OK(MPI_Start(&request[i])); /* there is nothing to be told any more */
        FAILS(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    }
}

static void wait_for_root(MPI_Request *request)
{
    OK(MPI_Startall(2, request));
    OK(MPI_Send(NULL, 0, MPI_BYTE, DEAD, TAG, MPI_COMM_WORLD));
    OK(MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD));
    FAILS(MPI_Wait(&request[1], MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Wait(&request[0], MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
    int data[2] = {0};
    MPI_Request request[2];
    begin(&argc, &argv, 20); /* less than the grace */
    for (int i = 0; i < 2; i++)
        OK(MPI_Bcast_init(&data[i], 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request[i]));
    if (me == DEAD)
        OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    die_if(me == DEAD);
    if (me == 0)
        come_late(request);
    else
        wait_for_root(request);
    for (int i = 0; i < 2; i++)
        OK(MPI_Request_free(&request[i]));
    return end();
}
