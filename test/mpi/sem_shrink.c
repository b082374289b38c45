/* sem_shrink: the survivors in their order; deaths in the middle; down to one; a hundred times. */
#include "check.h"

/* The members of `comm` by their ranks in the world. */
static void check_members(MPI_Comm comm, const int *wanted, int count)
{
    int size, rank, got = -1;
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Comm_rank(comm, &rank));
    CHECK(size == count && wanted[rank] == me);
    for (int r = 0; r < size; r++) {
        got = me;
        OK(MPI_Bcast(&got, 1, MPI_INT, r, comm));
        CHECK(got == wanted[r]);
    }
}

static void a_hundred_times(void)
{
    MPI_Comm comm, next;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int i = 0; i < 100; i++) {
        int one = 1, sum = 0;
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
        if (sum != all)
            fprintf(stderr, "rank %d, time %d: %d\n", me, i, sum);
        CHECK(sum == all);
        meet(comm);
        if (me == i % all || i % 7 == 0)
            OK(MPIX_Comm_revoke(comm));
        OK(MPIX_Comm_shrink(comm, &next));
        OK(MPI_Comm_free(&comm));
        comm = next;
    }
    OK(MPI_Comm_free(&comm));
}

/* Six ranks in the order 5 4 3 2 1 0; rank 3 of the world dies after it came to the shrink, 0 before it. */
static MPI_Comm order(void)
{
    MPI_Comm reversed, living;
    MPI_Request request;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, all - me, &reversed));
    meet(reversed);
    die_if(me == 0);
    OK(MPIX_Comm_ishrink(reversed, &living, &request));
    die_if(me == 3);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    int size;
    OK(MPI_Comm_size(living, &size));
    CHECK(size == 4 || size == 5); /* 3 was a survivor, or it was not: the same at all */
    learn_death(MPI_COMM_WORLD, 3);
    MPI_Comm now = shrunk(living);
    check_members(now, (int[]){5, 4, 2, 1}, 4);
    meet(now);
    OK(MPI_Comm_free(&living));
    OK(MPI_Comm_free(&reversed));
    return now;
}

static void down_to_one(MPI_Comm comm)
{
    int size, rank, flag = 3, sum;
    for (size = 4; size > 1; size--) {
        meet(comm);
        OK(MPI_Comm_rank(comm, &rank));
        die_if(rank == 0);
        int code = CODE(MPI_Barrier(comm));
        CHECK(code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED);
        OK(MPIX_Comm_revoke(comm));
        MPI_Comm next = shrunk(comm);
        OK(MPI_Comm_free(&comm));
        comm = next;
    }
    CHECK(me == 1);
    OK(MPI_Comm_size(comm, &size));
    CHECK(size == 1);
    OK(MPI_Allreduce(&flag, &sum, 1, MPI_INT, MPI_SUM, comm));
    OK(MPIX_Comm_agree(comm, &flag));
    OK(MPIX_Comm_revoke(comm));
    MPI_Comm alone = shrunk(comm);
    OK(MPI_Barrier(alone));
    CHECK(sum == 3 && flag == 3);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 30);
    a_hundred_times();
    down_to_one(order());
    return end();
}
