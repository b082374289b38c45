/* sem_sendrecv: when one half of an MPI_Sendrecv fails by a death, the other half still does its part: its peer lives, and may
 * need it. A revoke releases both. */
#include "check.h"

#include <stdbool.h>
#include <time.h>

enum { SIZE = 1 << 20, VICTIM = 2 };

static int out[SIZE], in[SIZE];

static void fill(int value)
{
    for (int i = 0; i < SIZE; i++) {
        out[i] = value + i;
        in[i] = -1;
    }
}

static void check_from(int value)
{
    for (int i = 0; i < SIZE; i++)
        CHECK(in[i] == value + i);
}

/* 0 sends to 1 and receives from the dead one; 1 receives when 0 is long in it. */
static void half_a_send(MPI_Comm comm)
{
    fill(me * SIZE);
    if (me == 0)
        FAILS(MPI_Sendrecv(out, SIZE, MPI_INT, 1, 1, in, SIZE, MPI_INT, VICTIM, 1, comm, MPI_STATUS_IGNORE),
              MPIX_ERR_PROC_FAILED);
    if (me == 1) {
        OK(MPI_Recv(in, SIZE, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE));
        check_from(0);
    }
}

/* 1 sends to the dead one and receives from 0. */
static void half_a_receive(MPI_Comm comm, bool replace)
{
    fill(me * SIZE);
    if (me == 0)
        OK(MPI_Send(out, SIZE, MPI_INT, 1, 2, comm));
    if (me == 1 && replace) {
        memcpy(in, out, sizeof in);
        FAILS(MPI_Sendrecv_replace(in, SIZE, MPI_INT, VICTIM, 2, 0, 2, comm, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    } else if (me == 1) {
        FAILS(MPI_Sendrecv(out, SIZE, MPI_INT, VICTIM, 2, in, SIZE, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE),
              MPIX_ERR_PROC_FAILED);
    }
    if (me == 1)
        check_from(0);
}

/* Nobody takes the living half: only the revoke ends it. */
static void released(MPI_Comm comm)
{
    int revoked = 0;
    meet(comm);
    if (me == 0) {
        FAILS(MPI_Sendrecv(out, SIZE, MPI_INT, 1, 3, in, SIZE, MPI_INT, VICTIM, 3, comm, MPI_STATUS_IGNORE),
              MPIX_ERR_PROC_FAILED);
        OK(MPIX_Comm_is_revoked(comm, &revoked));
        CHECK(revoked);
    }
    if (me == 1) {
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL); /* the other is likely to wait by now */
        OK(MPIX_Comm_revoke(comm));
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 40);
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    meet(comm);
    die_if(me == VICTIM);
    half_a_send(comm);
    half_a_receive(comm, false);
    half_a_receive(comm, true);
    released(comm);
    return end();
}
