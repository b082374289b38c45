/* trap_midway: processes are killed in the middle of their messages, of every size: the survivors must hear from each other all the
 * same. A transport with one queue for all senders breaks here: who dies on the way into it blocks it for all others. One death for
 * each size, at a random moment of the victim's own time. */
#include "check.h"

#include <sys/time.h>
#include <time.h>

enum { MOST = 100000, MEETINGS = 20 };
static const int sizes[] = {8, 1000, 6000, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static char *from, *into;

static void die(int signal)
{
    (void)signal;
    raise(SIGKILL);
}

static void die_soon(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct itimerval soon = {.it_value = {.tv_usec = 1000 + now.tv_nsec / 1000 % 5000}};
    signal(SIGVTALRM, die);
    setitimer(ITIMER_VIRTUAL, &soon, NULL);
}

static void talk_until_error(MPI_Comm comm, int bytes)
{
    int code = MPI_SUCCESS;
    while (code == MPI_SUCCESS)
        code = CODE(MPI_Alltoall(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, comm));
    CHECK(code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED);
}

/* The last of them dies; the communicator of the others. */
static MPI_Comm lose_one(MPI_Comm comm, int bytes)
{
    int rank, size;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    if (rank == size - 1)
        die_soon();
    talk_until_error(comm, bytes);
    OK(MPIX_Comm_revoke(comm));
    MPI_Comm rest = shrunk(comm);
    for (int i = 0; i < MEETINGS; i++)
        OK(MPI_Barrier(rest));
    return rest;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 50);
    MPI_Comm comm = MPI_COMM_WORLD;
    from = calloc((size_t)all, MOST);
    into = calloc((size_t)all, MOST);
    for (int i = 0; i < SIZES; i++)
        comm = lose_one(comm, sizes[i]);
    return end();
}
