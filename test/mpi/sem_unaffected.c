/* sem_unaffected: operations that need no dead process complete, on the same communicator and on others. */
#include "check.h"

enum { VICTIM = 2, BIG = 1 << 20 };
static const MPI_Comm world = MPI_COMM_WORLD;
static char big[BIG];

static void between_the_living(void)
{
    int peer = me == 0 ? 1 : 0, got = -1;
    MPI_Status status;
    for (int i = 0; i < 50; i++) {
        OK(MPI_Sendrecv(&me, 1, MPI_INT, peer, 5, &got, 1, MPI_INT, peer, 5, world, &status));
        CHECK(got == peer && status.MPI_SOURCE == peer);
    }
    if (me == 0) {
        memset(big, 7, BIG);
        OK(MPI_Ssend(big, BIG, MPI_CHAR, 1, 6, world));
    } else {
        OK(MPI_Probe(0, 6, world, &status));
        OK(MPI_Recv(big, BIG, MPI_CHAR, 0, 6, world, &status));
        CHECK(big[0] == 7 && big[BIG - 1] == 7);
    }
}

/* Posted before the death, matched after it. */
static void pending_over_the_death(void)
{
    MPI_Request request;
    int got = -1;
    if (me == 0)
        OK(MPI_Irecv(&got, 1, MPI_INT, 1, 8, world, &request));
    learn_death(world, VICTIM);
    if (me == 1)
        OK(MPI_Send(&me, 1, MPI_INT, 0, 8, world));
    if (me == 0) {
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(got == 1);
    }
}

/* What was sent before the death can be received after it. */
static void word_of_the_dead(void)
{
    int got = -1;
    if (me == VICTIM)
        OK(MPI_Send(&me, 1, MPI_INT, 3, 9, world));
    die_if(me == VICTIM);
    if (me != 3)
        return;
    learn_death(world, VICTIM);
    OK(MPI_Recv(&got, 1, MPI_INT, VICTIM, 9, world, MPI_STATUS_IGNORE));
    CHECK(got == VICTIM);
}

int main(int argc, char **argv)
{
    MPI_Comm without;
    int sum = 0, one = 1;
    begin(&argc, &argv, 20);
    OK(MPI_Comm_split(world, me == VICTIM ? MPI_UNDEFINED : 0, me, &without));
    word_of_the_dead();
    if (me == 0 || me == 1) {
        pending_over_the_death();
        between_the_living();
    }
    FAILS(MPI_Send(&me, 1, MPI_INT, VICTIM, 1, world), MPIX_ERR_PROC_FAILED);
    for (int i = 0; i < 20; i++) /* the dead is no member */
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, without));
    CHECK(sum == all - 1);
    OK(MPI_Barrier(MPI_COMM_SELF));
    MPI_Comm copy;
    OK(MPI_Comm_dup(without, &copy));
    OK(MPI_Barrier(copy));
    FAILS(MPI_Barrier(world), MPIX_ERR_PROC_FAILED);
    return end();
}
