/* trap_large: the calls of MPI 4 with large counts are the layer's too: they fail when a peer dies, and say so when a count does
 * not fit. What is not carried says that. */
#include "check.h"

static void what_is_not_carried(void)
{
    int memory = 0;
    MPI_Comm comm;
    MPI_Win window;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    FAILS(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, comm, &window), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(window == MPI_WIN_NULL);
    OK(MPI_Comm_free(&comm));
}

#if MPI_VERSION >= 4
static void count_beyond_int(void)
{
    MPI_Request request;
    int value = 0;
    FAILS(MPI_Send_c(&value, (MPI_Count)1 << 32, MPI_INT, 0, 1, MPI_COMM_WORLD), MPI_ERR_COUNT);
    FAILS(MPI_Iallreduce_c(MPI_IN_PLACE, &value, (MPI_Count)1 << 40, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request),
          MPI_ERR_COUNT);
    CHECK(request == MPI_REQUEST_NULL);
}

static void messages(MPI_Comm comm)
{
    int rank, size, got = -1;
    MPI_Status status;
    MPI_Count count;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Sendrecv_c(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1, comm,
                      &status));
    OK(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK(got == (rank + size - 1) % size && count == 1 && status.MPI_SOURCE == got);
}

/* What means nothing to a member need not fit. */
static void ignored_counts(MPI_Comm comm, int rank)
{
    enum { ROOT = 1 };
    const MPI_Count far = (MPI_Count)1 << 40;
    int all_of_them[8] = {0}, told = -1;
    OK(MPI_Gather_c(&rank, 1, MPI_INT, all_of_them, rank == ROOT ? 1 : far, MPI_INT, ROOT, comm));
    OK(MPI_Scatter_c(all_of_them, rank == ROOT ? 1 : far, MPI_INT, rank == ROOT ? MPI_IN_PLACE : &told,
                     rank == ROOT ? far : 1, MPI_INT, ROOT, comm));
    CHECK(rank == ROOT || told == rank);
    all_of_them[rank] = rank;
    OK(MPI_Allgather_c(MPI_IN_PLACE, far, MPI_DATATYPE_NULL, all_of_them, 1, MPI_INT, comm));
    CHECK(all_of_them[0] == 0 && all_of_them[1] == 1);
}

/* Nonblocking: the arrays are gone when the call has returned. */
static void later(MPI_Comm comm, int rank, int size)
{
    int given[8], got[8], sum = -1;
    MPI_Count *counts = malloc((size_t)size * sizeof *counts);
    MPI_Aint *places = malloc((size_t)size * sizeof *places);
    MPI_Request request[2];
    MPI_Status status[2];
    CHECK(counts && places);
    for (int i = 0; i < size; i++) {
        counts[i] = 1;
        places[i] = i;
        given[i] = 10 * rank + i;
    }
    OK(MPI_Ialltoallv_c(given, counts, places, MPI_INT, got, counts, places, MPI_INT, comm, &request[0]));
    OK(MPI_Ireduce_scatter_c(given, &sum, counts, MPI_INT, MPI_SUM, comm, &request[1]));
    memset(counts, 0x7f, (size_t)size * sizeof *counts);
    memset(places, 0x7f, (size_t)size * sizeof *places);
    free(counts);
    free(places);
    OK(MPI_Waitall(2, request, status));
    for (int i = 0; i < size; i++)
        CHECK(got[i] == 10 * i + rank);
    CHECK(sum == 10 * (size * (size - 1) / 2) + size * rank);
}

/* Persistent ones with arrays: started twice. One whose counts do not fit is none, and the next call is what it is. */
static void again(MPI_Comm comm, int rank, int size)
{
    enum { KINDS = 6 };
    int given[8], got[KINDS][8], bytes = (int)sizeof(int);
    MPI_Count counts[8], far[8];
    MPI_Aint displs[8], places[8];
    MPI_Datatype types[8];
    MPI_Request request[KINDS], none;
    for (int i = 0; i < size; i++) {
        counts[i] = 1, displs[i] = i, places[i] = (MPI_Aint)i * bytes, types[i] = MPI_INT;
        far[i] = (MPI_Count)1 << 33;
    }
    OK(MPI_Gatherv_init_c(given, 1, MPI_INT, got[0], counts, displs, MPI_INT, 0, comm, MPI_INFO_NULL, &request[0]));
    OK(MPI_Scatterv_init_c(given, counts, displs, MPI_INT, got[1], 1, MPI_INT, 0, comm, MPI_INFO_NULL, &request[1]));
    OK(MPI_Allgatherv_init_c(given, 1, MPI_INT, got[2], counts, displs, MPI_INT, comm, MPI_INFO_NULL, &request[2]));
    OK(MPI_Alltoallv_init_c(given, counts, displs, MPI_INT, got[3], counts, displs, MPI_INT, comm, MPI_INFO_NULL,
                            &request[3]));
    OK(MPI_Alltoallw_init_c(given, counts, places, types, got[4], counts, places, types, comm, MPI_INFO_NULL,
                            &request[4]));
    OK(MPI_Reduce_scatter_init_c(given, got[5], counts, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request[5]));
    FAILS(MPI_Allgatherv_init_c(given, 1, MPI_INT, got[2], far, displs, MPI_INT, comm, MPI_INFO_NULL, &none),
          MPI_ERR_COUNT);
    CHECK(none == MPI_REQUEST_NULL);
    OK(MPI_Iallgather(&rank, 1, MPI_INT, given, 1, MPI_INT, comm, &none));
    OK(MPI_Wait(&none, MPI_STATUS_IGNORE));
    CHECK(none == MPI_REQUEST_NULL && given[size - 1] == size - 1);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < size; i++)
            given[i] = 100 * round + 10 * rank + i;
        OK(MPI_Startall(KINDS, request));
        OK(MPI_Waitall(KINDS, request, (MPI_Status[KINDS]){{0}}));
        CHECK(got[1][0] == 100 * round + rank);
        CHECK(got[5][0] == 100 * round * size + 10 * (size * (size - 1) / 2) + size * rank);
        for (int i = 0; i < size; i++) {
            CHECK(rank != 0 || got[0][i] == 100 * round + 10 * i);
            CHECK(got[2][i] == 100 * round + 10 * i);
            CHECK(got[3][i] == 100 * round + 10 * i + rank && got[4][i] == got[3][i]);
        }
    }
    for (int i = 0; i < KINDS; i++)
        OK(MPI_Request_free(&request[i]));
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
    OK(MPI_Gatherv_c(&rank, 1, MPI_INT, all_of_them, rank == 1 ? counts : NULL, rank == 1 ? displs : NULL, MPI_INT, 1,
                     comm));
    OK(MPI_Scatterv_c(all_of_them, rank == 1 ? counts : NULL, rank == 1 ? displs : NULL, MPI_INT, &told, 1, MPI_INT, 1,
                      comm));
    CHECK(told == rank);
    ignored_counts(comm, rank);
    later(comm, rank, size);
    again(comm, rank, size);
    counts[0] = (MPI_Count)1 << 33;
    FAILS(MPI_Reduce_scatter_c(all_of_them, &told, counts, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
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
