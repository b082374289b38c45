/* trap_stuck: after a death the MPI of a survivor does not come back from a call any more, as it happens when shared memory was left
 * broken; here the call spins in a function of the program. That process ends and the others go on. One that computes for as
 * long outside the MPI lives. */
#include "check.h"

static int query(void *state, MPI_Status *status)
{
    volatile int *turns = state;
    while (*turns >= 0)
        *turns ^= 1;
    return MPI_Status_set_elements(status, MPI_BYTE, 0);
}
static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}
static int nothing_to_cancel(void *state, int complete)
{
    (void)complete;
    return nothing(state);
}

static void spin_in_the_mpi(void)
{
    MPI_Request request;
    int flag, turns = 0;
    OK(MPI_Grequest_start(query, nothing, nothing_to_cancel, &turns, &request));
    OK(MPI_Grequest_complete(request));
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(!"came back");
}

static void compute(double seconds)
{
    AT("computing");
    for (double start = MPI_Wtime(); MPI_Wtime() - start < seconds;)
        ;
}

int main(int argc, char **argv)
{
    MPI_Comm rest;
    int size;
    begin(&argc, &argv, 40);
    MPI_Barrier(MPI_COMM_WORLD); /* may meet the death already */
    die_if(me == 0);
    learn_death(MPI_COMM_WORLD, 0);
    if (me == 1)
        spin_in_the_mpi();
    if (me == 2)
        compute(4);
    learn_death(MPI_COMM_WORLD, 1);
    OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest));
    OK(MPI_Comm_size(rest, &size));
    CHECK(size == all - 2);
    OK(MPI_Comm_free(&rest));
    return end();
}
