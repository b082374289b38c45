/* sem_group_storm: the parent is revoked at any moment of MPI_Comm_create_group, by one who is no member of the new group. Who has the
 * communicator can use it or learns that it is revoked; nobody waits for ever, and no message is taken by a later one. Argument: how
 * many times. */
#include "check.h"

#include <stdbool.h>
#include <time.h>

static unsigned chance(unsigned *state, unsigned below)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % below;
}

/* Some time that belongs to nobody: when the revoke comes is what is tried out. */
static void compute(unsigned microseconds)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000L + (now.tv_nsec - from.tv_nsec) / 1000 < (long)microseconds);
}

static bool ended_well(int code)
{
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_REVOKED);
    return code == MPI_SUCCESS;
}

/* A ring of small messages; when it is revoked some stay where they are. */
static void use(MPI_Comm comm, int round)
{
    int size, rank, got = -1;
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Comm_rank(comm, &rank));
    if (!ended_well(CODE(MPI_Send(&round, 1, MPI_INT, (rank + 1) % size, 3, comm))))
        return;
    if (ended_well(CODE(MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 3, comm, MPI_STATUS_IGNORE))))
        CHECK(got == round);
}

static void create(MPI_Comm parent, int round)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group everybody, members;
    int outsider = all - 1;
    OK(MPI_Comm_group(parent, &everybody));
    OK(MPI_Group_excl(everybody, 1, &outsider, &members));
    if (ended_well(CODE(MPI_Comm_create_group(parent, members, 1, &made)))) {
        use(made, round);
        OK(MPI_Comm_free(&made));
    }
    CHECK(made == MPI_COMM_NULL);
    OK(MPI_Group_free(&members));
    OK(MPI_Group_free(&everybody));
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 200;
    begin(&argc, &argv, 50);
    unsigned state = 1 + (unsigned)me;
    for (int round = 0; round < rounds; round++) {
        MPI_Comm parent;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &parent));
        compute(chance(&state, me == all - 1 ? 600 : 200));
        if (me == all - 1)
            OK(MPIX_Comm_revoke(parent));
        else
            create(parent, round);
        OK(MPI_Comm_free(&parent));
    }
    return end();
}
