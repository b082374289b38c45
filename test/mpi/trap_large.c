/* trap_large: the calls of MPI 4 with large counts are the layer's too: they fail when a peer dies, and say so when a count does
 * not fit. What is not carried says that. */
#include "check.h"

#if MPI_VERSION >= 4
static void count_beyond_int(void)
{
    MPI_Request request;
    int value = 0;
    FAILS(MPI_Send_c(&value, (MPI_Count)1 << 32, MPI_INT, 0, 1, MPI_COMM_WORLD), MPI_ERR_COUNT);
    FAILS(MPI_Iallreduce_c(MPI_IN_PLACE, &value, (MPI_Count)1 << 40, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
}

static void messages(MPI_Comm comm)
{
    int rank, size, got = -1;
    MPI_Status status;
    MPI_Count count;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Sendrecv_c(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1, comm, &status));
    OK(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK(got == (rank + size - 1) % size && count == 1 && status.MPI_SOURCE == got);
}

static void collectives(MPI_Comm comm)
{
    int rank, size, one = 1, sum = 0, all_of_them[8], told;
    MPI_Count counts[8];
    MPI_Aint displs[8];
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    for (int i = 0; i < size; i++)
        counts[i] = 1, displs[i] = size - 1 - i;
    OK(MPI_Allreduce_c(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == size);
    OK(MPI_Allgatherv_c(&rank, 1, MPI_INT, all_of_them, counts, displs, MPI_INT, comm));
    for (int i = 0; i < size; i++)
        CHECK(all_of_them[size - 1 - i] == i);
    OK(MPI_Gatherv_c(&rank, 1, MPI_INT, all_of_them, rank == 1 ? counts : NULL, rank == 1 ? displs : NULL, MPI_INT, 1, comm));
    OK(MPI_Scatterv_c(all_of_them, rank == 1 ? counts : NULL, rank == 1 ? displs : NULL, MPI_INT, &told, 1, MPI_INT, 1, comm));
    CHECK(told == rank);
    counts[0] = (MPI_Count)1 << 33;
    FAILS(MPI_Reduce_scatter_c(all_of_them, &told, counts, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
}

static void what_is_not_carried(void)
{
    MPI_Request request;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    FAILS(MPI_Barrier_init(comm, MPI_INFO_NULL, &request), MPI_ERR_UNSUPPORTED_OPERATION);
    OK(MPI_Comm_free(&comm));
}

static void a_death(void)
{
    int value = 0;
    meet(MPI_COMM_WORLD);
    die_if(me == 2);
    FAILS(MPI_Recv_c(&value, 1, MPI_INT, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Bcast_c(&value, 1, MPI_INT, 0, MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED);
    MPI_Comm living = shrunk(MPI_COMM_WORLD);
    messages(living);
    collectives(living);
}
#else
static void what_is_not_carried(void)
{
    MPI_Request request;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    FAILS(MPIX_Barrier_init(comm, MPI_INFO_NULL, &request), MPI_ERR_UNSUPPORTED_OPERATION);
    OK(MPI_Comm_free(&comm));
}

static void a_death(void)
{
    meet(MPI_COMM_WORLD);
    die_if(me == 2);
    learn_death(MPI_COMM_WORLD, 2);
}
#endif

int main(int argc, char **argv)
{
    begin(&argc, &argv, 20);
#if MPI_VERSION >= 4
    count_beyond_int();
    messages(MPI_COMM_WORLD);
    collectives(MPI_COMM_WORLD);
#endif
    what_is_not_carried();
    a_death();
    return end();
}
