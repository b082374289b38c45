/* sem_group: MPI_Comm_create_group that fails takes nothing for good: no memory, no slot. By a death among its members, thousands of
 * times; by a revoke of the parent while a member waits for one that never comes. Argument: how many failures by a death. */
#include "memory.h"

enum { VICTIM = 1, LEAVES = 150, AT_ONCE = 200 };

static void fail_by_death(MPI_Comm comm, int times)
{
    MPI_Comm made;
    MPI_Group group;
    OK(MPI_Comm_group(comm, &group));
    for (int i = 0; i < times; i++) {
        FAILS(MPI_Comm_create_group(comm, group, 1, &made), MPIX_ERR_PROC_FAILED);
        CHECK(made == MPI_COMM_NULL);
    }
    OK(MPI_Group_free(&group));
}

/* Rank 0 waits in create_group; the other one never comes, and revokes. */
static void fail_by_revoke(MPI_Comm living)
{
    MPI_Comm parent, made;
    MPI_Group group;
    OK(MPI_Comm_dup(living, &parent));
    OK(MPI_Comm_group(parent, &group));
    if (me == 0)
        FAILS(MPI_Comm_create_group(parent, group, 1, &made), MPIX_ERR_REVOKED);
    else
        OK(MPIX_Comm_revoke(parent));
    FAILS(MPI_Comm_create_group(parent, group, 2, &made), MPIX_ERR_REVOKED); /* both know */
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_free(&parent));
}

static void check_slots(MPI_Comm living)
{
    static MPI_Comm made[AT_ONCE];
    int one = 1, sum;
    for (int i = 0; i < AT_ONCE; i++)
        OK(MPI_Comm_dup(living, &made[i]));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made[AT_ONCE - 1]));
    CHECK(sum == 2);
    for (int i = 0; i < AT_ONCE; i++)
        OK(MPI_Comm_free(&made[i]));
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1000;
    begin(&argc, &argv, 60);
    CHECK(all == 3);
    die_if(me == VICTIM);
    learn_death(MPI_COMM_WORLD, VICTIM);
    check_no_leak("failures by a death", fail_by_death, MPI_COMM_WORLD, times / (1 + TRIES));
    MPI_Comm living = shrunk(MPI_COMM_WORLD);
    for (int i = 0; i < LEAVES; i++)
        fail_by_revoke(living);
    check_slots(living);
    return end();
}
