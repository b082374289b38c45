/* run_where: for run_where.sh: every rank waits for what never comes, in another call. Four ranks.
 * 0 receives from rank 2 on a duplicate of the world that is named "grid", 1 waits for a receive from any source, 2 agrees with rank 3 on
 * a communicator of the two, 3 is in a barrier of the world. `compute`: but 3 computes, and 1 waits by MPI_Waitall. `send`: but 3 sends to 0. */
#include "check.h"

/* `all_of_them`: by MPI_Waitall, where the first request is complete. */
static void wait_for_anybody(int all_of_them)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int one = 0;
    MPI_Irecv(&one, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request[1]);
    if (all_of_them)
        MPI_Waitall(2, request, status);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
}

static void wait_in_another_call(MPI_Comm grid, MPI_Comm pair, int all_of_them)
{
    int flag = 1, one = 0;
    switch (me) {
    case 0:
        MPI_Recv(&one, 1, MPI_INT, 2, 7, grid, MPI_STATUS_IGNORE);
        break;
    case 1:
        wait_for_anybody(all_of_them);
        break;
    case 2:
        MPIX_Comm_agree(pair, &flag);
        break;
    default:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    }
}

int main(int argc, char **argv)
{
    MPI_Comm grid, pair;
    const char *mode = argc > 1 ? argv[1] : "";
    volatile unsigned long work = 0;
    int one = 1;
    begin(&argc, &argv, 50);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &grid));
    OK(MPI_Comm_set_name(grid, "grid"));
    OK(MPI_Comm_split(MPI_COMM_WORLD, me / 2, 0, &pair));
    while (me == 3 && strcmp(mode, "compute") == 0)
        work++;
    if (me == 3 && strcmp(mode, "send") == 0)
        MPI_Send(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    wait_in_another_call(grid, pair, strcmp(mode, "compute") == 0);
    return end();
}
