/* sem_inter_empty.c: the whole remote group dies. A shrink leaves an intercommunicator of one group. Nobody can send there, so whoever waits
 * for any source is told so instead. Even ranks survive. */
#include "check.h"

#include <malloc.h>

enum { CALLS = 300, CALLS_BYTES = 120 * 1024 }; /* what a call may leave: the id of its group */

static void nothing_comes(MPI_Comm comm, int why)
{
    int got = -1, flag = -1;
    MPI_Request request;
    MPI_Message message;
    FAILS(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE), why);
    FAILS(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE), why);
    FAILS(MPI_Probe(MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE), why);
    FAILS(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE), why);
    FAILS(MPI_Iprobe(MPI_ANY_SOURCE, 1, comm, &flag, MPI_STATUS_IGNORE), why);
    FAILS(
        MPI_Sendrecv(&got, 1, MPI_INT, MPI_PROC_NULL, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE),
        why);
    OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request)); /* its completion tells */
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), why);
    CHECK(request == MPI_REQUEST_NULL && got == -1);
}

/* What needs nobody of the remote group goes on. */
static void rest_goes_on(MPI_Comm comm)
{
    int value = 5, got = -1;
    OK(MPI_Barrier(comm));
    OK(MPI_Allreduce(&value, &got, 1, MPI_INT, MPI_SUM, comm));
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE));
    CHECK(got == -1);
}

/* Nothing is sent to a leader that is known dead: Open MPI would keep a kilobyte of it each time. Each is a
 * group of its own: what a leader tells others that are slower would count, too. */
static void leader_is_dead(void)
{
    MPI_Comm made;
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < CALLS; i++)
        FAILS(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1, 8, &made), MPIX_ERR_PROC_FAILED);
    size_t after = mallinfo2().uordblks;
    CHECK(after < before + CALLS_BYTES);
}

int main(int argc, char **argv)
{
    MPI_Comm local, inter, left, again, merged;
    int others = -1, size = -1;
    begin(&argc, &argv, 40);
    OK(MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &local));
    OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - me % 2, 7, &inter));
    meet(inter);
    die_if(me % 2 == 1);
    for (int i = 0; i < all / 2; i++)
        learn_death(inter, i);
    leader_is_dead();
    OK(MPIX_Comm_shrink(inter, &left));
    OK(MPI_Comm_remote_size(left, &others));
    CHECK(others == 0);
    nothing_comes(left, MPIX_ERR_PROC_FAILED);
    rest_goes_on(left);
    OK(MPI_Comm_dup(left, &again));
    nothing_comes(again, MPIX_ERR_PROC_FAILED);
    OK(MPI_Intercomm_merge(left, 0, &merged));
    OK(MPI_Comm_size(merged, &size));
    CHECK(size == (all + 1) / 2);
    check_same(merged, size);
    OK(MPIX_Comm_revoke(again));
    nothing_comes(again, MPIX_ERR_REVOKED);
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_free(&left));
    OK(MPI_Comm_free(&merged));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&local));
    return end();
}
