/* sem_storm: a member revokes while others are in the middle of collectives, all shrink, and so on. Some of those collectives fail
 * and some do not, at the same time; whoever is told MPI_SUCCESS has the right answer of this very communicator. */
#include "check.h"

enum { ROUNDS = 1000, STEPS = 4 };

static int reduce(MPI_Comm comm, int value, int size)
{
    int sum = -1, code = CODE(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm));
    if (code == MPI_SUCCESS && sum != value * size)
        fprintf(stderr, "rank %d: the sum of %d at %d ranks is %d\n", me, value, size, sum);
    CHECK(code != MPI_SUCCESS || sum == value * size);
    return code;
}

static int broadcast(MPI_Comm comm, int value, int root, int rank)
{
    int told = rank == root ? value : -1, code = CODE(MPI_Bcast(&told, 1, MPI_INT, root, comm));
    if (code == MPI_SUCCESS && told != value)
        fprintf(stderr, "rank %d: %d was broadcast as %d\n", me, value, told);
    CHECK(code != MPI_SUCCESS || told == value);
    return code;
}

/* Until it is revoked here, by this rank or another. */
static void use(MPI_Comm comm, int round)
{
    int rank, size, code = MPI_SUCCESS;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    CHECK(size == all);
    for (int step = 0; code == MPI_SUCCESS && step < STEPS; step++) {
        if (rank == round % size && step == round / size % STEPS)
            OK(MPIX_Comm_revoke(comm));
        int value = round * STEPS + step;
        code = step % 2 ? broadcast(comm, value, (round + step) % size, rank) : reduce(comm, value, size);
    }
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_REVOKED);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, next;
    begin(&argc, &argv, 50);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int round = 0; round < ROUNDS; round++) {
        use(comm, round);
        OK(MPIX_Comm_shrink(comm, &next));
        OK(MPI_Comm_free(&comm));
        comm = next;
    }
    OK(MPI_Comm_free(&comm));
    return end();
}
