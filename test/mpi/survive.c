/* survive: one rank is killed; the others get the error, revoke, shrink, and go on without it. */
#include "check.h"

/* Everybody waits for the victim, in a chain: nobody but its neighbour learns of the death from it. */
static void meet_the_error(int victim)
{
    int value = 0;
    int code = me == (victim + 1) % all
                   ? CODE(MPI_Recv(&value, 1, MPI_INT, victim, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
                   : CODE(MPI_Barrier(MPI_COMM_WORLD));
    if (code != MPIX_ERR_PROC_FAILED && code != MPIX_ERR_REVOKED) /* another may have been faster */
        FAILS(code, MPIX_ERR_PROC_FAILED);
    OK(MPIX_Comm_revoke(MPI_COMM_WORLD));
    FAILS(MPI_Barrier(MPI_COMM_WORLD), MPIX_ERR_REVOKED);
    FAILS(MPI_Send(&value, 1, MPI_INT, me, 8, MPI_COMM_WORLD), MPIX_ERR_REVOKED);
}

static void go_on(MPI_Comm survivors, int victim)
{
    int rank, size, sum = 0, wanted = 0, token = -1;
    OK(MPI_Comm_rank(survivors, &rank));
    OK(MPI_Comm_size(survivors, &size));
    CHECK(size == all - 1 && rank == (me > victim ? me - 1 : me));
    for (int r = 0; r < all; r++)
        wanted += r == victim ? 0 : r + 1;
    int mine = me + 1;
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, survivors));
    CHECK(sum == wanted);
    MPI_Status status;
    MPI_Request request[2];
    OK(MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, 3, survivors, &request[0]));
    OK(MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 3, survivors, &request[1]));
    OK(MPI_Wait(&request[0], &status));
    OK(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
    CHECK(token == (rank + size - 1) % size && status.MPI_SOURCE == token && status.MPI_TAG == 3);
}

/* When all others have said that they are through, so that the death disturbs nobody before its time. */
static void die_last(int victim)
{
    for (int i = 1; me == victim && i < all; i++)
        OK(MPI_Recv(NULL, 0, MPI_INT, (me + i) % all, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    die_if(me == victim);
    OK(MPI_Send(NULL, 0, MPI_INT, victim, 1, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 20);
    int victim = argc > 1 ? atoi(argv[1]) : 1, flag = me == 2 ? 5 : 7, acked;
    MPI_Comm survivors;
    MPI_Group failed;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    die_last(victim);
    meet_the_error(victim);
    OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors));
    go_on(survivors, victim);

    OK(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed));
    OK(MPI_Group_size(failed, &acked));
    CHECK(acked == 1);
    OK(MPI_Group_free(&failed));
    FAILS(MPIX_Comm_agree(MPI_COMM_WORLD, &flag), MPIX_ERR_PROC_FAILED);
    CHECK(flag == (victim == 2 ? 7 : 5));
    OK(MPIX_Comm_ack_failed(MPI_COMM_WORLD, 1, &acked));
    CHECK(acked == 1);
    OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
    OK(MPI_Comm_free(&survivors));
    return end();
}
