/* trap_full: a rank is killed while the others have far more on the way to it than its connections hold. They have errors, repair and go
 * on: what the MPI below still has to send to the dead ends nobody. */
#include "check.h"

#include <signal.h>
#include <unistd.h>

enum { BYTES = 3000, PENDING = 30000, LARGE = 1 << 20, LARGES = 4 };

static char data[LARGE];

static MPI_Comm others;
static int victim; /* its process */

/* It takes nothing: it is not in MPI. */
static void wait_for_death(void)
{
    for (;;)
        pause();
}

/* When all have begun all that they send. */
static void kill_it(void)
{
    OK(MPI_Barrier(others));
    if (me == 0)
        CHECK(kill(victim, SIGKILL) == 0);
}

static void send_all(void)
{
    static MPI_Request request[PENDING + LARGES];
    static MPI_Status status[PENDING + LARGES];
    for (int i = 0; i < PENDING + LARGES; i++)
        MPI_Isend(data, i < PENDING ? BYTES : LARGE, MPI_BYTE, 1, i, MPI_COMM_WORLD, &request[i]);
    kill_it();
    FAILS(MPI_Waitall(PENDING + LARGES, request, status), MPI_ERR_IN_STATUS);
    for (int i = PENDING; i < PENDING + LARGES; i++) /* nobody received these */
        CHECK(status[i].MPI_ERROR == MPIX_ERR_PROC_FAILED);
}

/* Messages between the survivors, small and large. */
static void go_on(void)
{
    MPI_Comm comm;
    int one = 1, sum, size, rank;
    OK(MPIX_Comm_shrink(MPI_COMM_WORLD, &comm));
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    CHECK(size == all - 1);
    for (int turn = 0; turn < 20; turn++) {
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
        CHECK(sum == size);
        OK(MPI_Sendrecv_replace(data, LARGE, MPI_BYTE, (rank + 1) % size, 0, (rank + size - 1) % size, 0, comm,
                                MPI_STATUS_IGNORE));
    }
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 60);
    victim = (int)getpid();
    OK(MPI_Bcast(&victim, 1, MPI_INT, 1, MPI_COMM_WORLD));
    OK(MPI_Comm_split(MPI_COMM_WORLD, me == 1, me, &others));
    if (me == 1)
        wait_for_death();
    send_all();
    go_on();
    return end();
}
