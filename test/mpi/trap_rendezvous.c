/* trap_rendezvous: programs free the buffers of large messages as soon as the wait returned REVOKED or PROC_FAILED, though
 * the other end is alive. Here they are unmapped: who touches them later crashes. */
#include "check.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>

enum { SIZE = 4 << 20, ROUNDS = 6 };

static char *map(void)
{
    char *made = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(made != MAP_FAILED);
    memset(made, 1, SIZE);
    return made;
}

static void wait_a_little(long microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

/* 0 and 1 exchange 4 MB; 2 revokes meanwhile. In even rounds 1 posts no receive: the send waits for its clear-to-send. */
static void exchange(MPI_Comm comm, int round)
{
    MPI_Request request[2];
    char *buffer[2] = {map(), map()};
    int peer = 1 - me, code[2] = {MPI_SUCCESS, MPI_SUCCESS};
    bool receives = me == 0 || round % 2;
    code[0] = CODE(MPI_Isend(buffer[0], SIZE, MPI_CHAR, peer, 1, comm, &request[0]));
    if (code[0] == MPI_SUCCESS && receives)
        code[1] = CODE(MPI_Irecv(buffer[1], SIZE, MPI_CHAR, peer, 1, comm, &request[1]));
    if (code[0] == MPI_SUCCESS) {
        if (code[1] == MPI_SUCCESS && receives)
            code[1] = CODE(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
        code[0] = CODE(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    }
    munmap(buffer[0], SIZE);
    munmap(buffer[1], SIZE);
    for (int i = 0; i < 2; i++)
        CHECK(code[i] == MPI_SUCCESS || code[i] == MPIX_ERR_REVOKED);
}

/* The transport goes on moving whatever is left. */
static void traffic(MPI_Comm comm)
{
    char *buffer = map();
    for (int i = 0; i < 3; i++)
        OK(MPI_Bcast(buffer, SIZE, MPI_CHAR, i % 2, comm));
    munmap(buffer, SIZE);
}

/* Sender or receiver dies in the middle of it. */
static void to_the_dead(void)
{
    MPI_Request request;
    char *buffer = map();
    int code;
    if (me == 0)
        OK(MPI_Isend(buffer, SIZE, MPI_CHAR, 3, 2, MPI_COMM_WORLD, &request));
    else if (me == 1)
        OK(MPI_Irecv(buffer, SIZE, MPI_CHAR, 3, 3, MPI_COMM_WORLD, &request));
    else if (me == 3)
        OK(MPI_Isend(buffer, SIZE, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &request));
    die_if(me == 3);
    if (me < 2) {
        code = CODE(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(code == MPIX_ERR_PROC_FAILED || (code == MPI_SUCCESS && me == 1));
    }
    munmap(buffer, SIZE);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 40);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        meet(comm);
        if (me < 2)
            exchange(comm, round);
        if (me == 2)
            wait_a_little(round * 400);
        if (me == 2)
            OK(MPIX_Comm_revoke(comm));
        MPI_Comm next = shrunk(comm);
        traffic(next);
        OK(MPI_Comm_free(&next));
        OK(MPI_Comm_free(&comm));
    }
    meet(MPI_COMM_WORLD);
    to_the_dead();
    MPI_Comm living = shrunk(MPI_COMM_WORLD);
    traffic(living);
    return end();
}
