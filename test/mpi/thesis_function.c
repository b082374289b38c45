/* thesis_function: tests 9 and 10 of the thesis (chapter 6.2.3): after deaths, shrink and broadcast; after a revoke, the
 * behaviour of ULFM. The argument is one of the dead; rank 2 is the other. */
#include "check.h"

enum { LENGTH = 10000 };
static double data[LENGTH];

static void test_9(MPI_Comm living)
{
    int size;
    OK(MPI_Comm_size(living, &size));
    CHECK(size == all - 2);
    for (int root = 0; root < size; root++) {
        int rank;
        OK(MPI_Comm_rank(living, &rank));
        for (int i = 0; i < LENGTH; i++)
            data[i] = rank == root ? 0.5 * i + root : -1;
        OK(MPI_Bcast(data, LENGTH, MPI_DOUBLE, root, living));
        for (int i = 0; i < LENGTH; i++)
            CHECK(data[i] == 0.5 * i + root);
    }
}

static void test_10(MPI_Comm comm)
{
    MPI_Comm next;
    int flag = 0, rank, value = 0;
    OK(MPI_Comm_rank(comm, &rank));
    if (rank == 0)
        OK(MPIX_Comm_revoke(comm));
    else
        FAILS(MPI_Recv(&value, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    FAILS(MPI_Bcast(&value, 1, MPI_INT, 0, comm), MPIX_ERR_REVOKED);
    FAILS(MPI_Barrier(comm), MPIX_ERR_REVOKED);
    FAILS(MPI_Comm_dup(comm, &next), MPIX_ERR_REVOKED);
    OK(MPIX_Comm_is_revoked(comm, &flag));
    CHECK(flag);
    OK(MPIX_Comm_agree(comm, &flag));
    OK(MPIX_Comm_shrink(comm, &next));
    OK(MPI_Barrier(next));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 20);
    int victim = argc > 1 ? atoi(argv[1]) : 0;
    meet(MPI_COMM_WORLD);
    die_if(me == victim || me == 2);
    learn_death(MPI_COMM_WORLD, victim);
    learn_death(MPI_COMM_WORLD, 2);
    MPI_Comm living = shrunk(MPI_COMM_WORLD);
    test_9(living);
    meet(living);
    test_10(living);
    return end();
}
