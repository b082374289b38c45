/* sem_stale: what nobody received on a revoked communicator never turns up on a later one, however many there have been and
 * though they have to share their contexts and slots. Argument: rounds. */
#include "check.h"

enum { HELD = 14, TAG = 7 };

/* Rank 0 broadcasts and sends; rank 1 takes neither, and revokes when they are out. */
static void leave_messages_behind(int round)
{
    MPI_Comm comm;
    int stale = -1 - round;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (me == 0) {
        OK(MPI_Bcast(&stale, 1, MPI_INT, 0, comm));
        OK(MPI_Send(&stale, 1, MPI_INT, 1, TAG, comm));
    }
    meet(MPI_COMM_WORLD);
    if (me == 1)
        OK(MPIX_Comm_revoke(comm));
    OK(MPI_Comm_free(&comm));
}

static void check_messages(int round)
{
    MPI_Comm comm;
    int told = me == 0 ? round : -1, sent = round;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Bcast(&told, 1, MPI_INT, 0, comm));
    if (me == 0)
        OK(MPI_Send(&sent, 1, MPI_INT, 1, TAG, comm));
    else
        OK(MPI_Recv(&sent, 1, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE));
    if (told != round || sent != round)
        fprintf(stderr, "round %d: %d was broadcast, %d was sent\n", round, told, sent);
    CHECK(told == round && sent == round);
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    MPI_Comm held[HELD];
    int rounds;
    begin(&argc, &argv, 50);
    rounds = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < HELD; i++) /* so that those to come share a context */
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &held[i]));
    for (int round = 0; round < rounds; round++) {
        leave_messages_behind(round);
        check_messages(round);
    }
    for (int i = 0; i < HELD; i++)
        OK(MPI_Comm_free(&held[i]));
    return end();
}
