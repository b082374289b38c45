/* sem_agree: the bitwise AND over the living, the same flag and the same code at all; PROC_FAILED unless all acknowledged. */
#include "check.h"

static void acknowledge(MPI_Comm comm, int wanted)
{
    MPI_Group failed;
    int acked = -1;
    OK(MPIX_Comm_get_failed(comm, &failed));
    int known = group_size(failed);
    OK(MPI_Group_free(&failed));
    OK(MPIX_Comm_ack_failed(comm, known, &acked));
    CHECK(acked == wanted);
}

static void without_failure(void)
{
    for (int i = 0; i < 20; i++) {
        int flag = ~(1 << me), wanted = ~((1 << all) - 1);
        OK(MPIX_Comm_agree(MPI_COMM_WORLD, &flag));
        CHECK(flag == wanted);
    }
    MPI_Request request;
    int flag = me ? 12 : 10;
    OK(MPIX_Comm_iagree(MPI_COMM_WORLD, &flag, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(flag == 8);
}

/* Rank 3 has contributed and dies before the end: its flag counts or not, but for all alike. */
static void death_after_the_contribution(MPI_Comm comm)
{
    int flag = me == 3 ? 1 : 3;
    MPI_Request request;
    OK(MPIX_Comm_iagree(comm, &flag, &request));
    die_if(me == 3);
    int code = CODE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED);
    CHECK(flag == 1 || flag == 3);
    MPI_Comm living = shrunk(comm);
    check_same(living, code);
    check_same(living, flag);
    OK(MPI_Comm_free(&living));
}

/* Rank 3 is dead. The code is the same at all, whoever has acknowledged and who has not. */
static void acknowledged_by(MPI_Comm comm, int who, int code)
{
    int flag = me == 0 ? 5 : 7;
    learn_death(comm, 3);
    if (me <= who)
        acknowledge(comm, 1);
    FAILS(MPIX_Comm_agree(comm, &flag), code);
    CHECK(flag == 5);
}

/* Nobody knows of it yet: rank 2 dies while the others wait in the agreement. */
static void death_in_the_middle(MPI_Comm comm)
{
    int flag = 9;
    die_if(me == 2);
    FAILS(MPIX_Comm_agree(comm, &flag), MPIX_ERR_PROC_FAILED);
    CHECK(flag == 9);
    learn_death(comm, 2);
    acknowledge(comm, 2);
    OK(MPIX_Comm_agree(comm, &flag));
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    begin(&argc, &argv, 20);
    without_failure();
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    death_after_the_contribution(comm);
    acknowledged_by(comm, -1, MPIX_ERR_PROC_FAILED);
    acknowledged_by(comm, 0, MPIX_ERR_PROC_FAILED);
    acknowledged_by(comm, all, MPI_SUCCESS);
    OK(MPIX_Comm_revoke(comm));
    acknowledge(comm, 1);
    int flag = 1;
    OK(MPIX_Comm_agree(comm, &flag)); /* also when it is revoked */
    death_in_the_middle(MPI_COMM_WORLD);
    return end();
}
