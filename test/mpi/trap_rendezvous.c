/* trap_rendezvous: programs free the buffers of large messages as soon as a call returned REVOKED or PROC_FAILED, though the
 * other end is alive. Here they are unmapped at once: who touches them later crashes. And other memory of other contents is
 * put in their place: who sends from there sends what is wrong, and whoever receives something looks at it. */
#include "check.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>

enum { SIZE = 4 << 20, ROUNDS = 4, SENDS = 2, LATER = 128 << 10, RIGHT = 1, WRONG = 2 };

static char *map(void)
{
    char *made = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(made != MAP_FAILED);
    memset(made, RIGHT, SIZE);
    return made;
}

static void unmap(char *buffer)
{
    CHECK(munmap(buffer, SIZE) == 0);
}

/* The address is used again, as malloc does. */
static char *map_instead(char *buffer)
{
    unmap(buffer);
    CHECK(mmap(buffer, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == buffer);
    memset(buffer, WRONG, SIZE);
    return buffer;
}

static void check_all(const char *buffer, char value)
{
    CHECK(buffer[0] == value && memcmp(buffer, buffer + 1, SIZE - 1) == 0);
}

static void wait_a_little(long microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

/* The transport goes on moving whatever is left. */
static void traffic(MPI_Comm comm)
{
    char *buffer = map();
    for (int root = 0; root < 2; root++)
        OK(MPI_Bcast(buffer, LATER, MPI_CHAR, root, comm));
    check_all(buffer, RIGHT);
    unmap(buffer);
}

/* ---- a revoke in the middle ----------------------------------------------------------------------------------------------------- */

/* 0 and 1 exchange 4 MB; 2 revokes meanwhile. What was received in time is right, what was not is nobody's any more. */
static void exchange(MPI_Comm comm)
{
    MPI_Request request[2];
    char *buffer[2] = {map(), map()};
    int peer = 1 - me, code[2];
    memset(buffer[1], 0, SIZE);
    code[0] = CODE(MPI_Isend(buffer[0], SIZE, MPI_CHAR, peer, 1, comm, &request[0]));
    code[1] = CODE(MPI_Irecv(buffer[1], SIZE, MPI_CHAR, peer, 1, comm, &request[1]));
    if (code[1] == MPI_SUCCESS)
        code[1] = CODE(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
    if (code[0] == MPI_SUCCESS)
        code[0] = CODE(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    for (int i = 0; i < 2; i++)
        CHECK(code[i] == MPI_SUCCESS || code[i] == MPIX_ERR_REVOKED);
    if (code[1] == MPI_SUCCESS)
        check_all(buffer[1], RIGHT);
    map_instead(buffer[0]);
    map_instead(buffer[1]);
    traffic(shrunk(comm));
    check_all(buffer[0], WRONG); /* nobody has written there either */
    check_all(buffer[1], WRONG);
    unmap(buffer[0]);
    unmap(buffer[1]);
}

static void at_any_time(int round)
{
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    meet(comm);
    if (me == 2) {
        wait_a_little(round * 400);
        OK(MPIX_Comm_revoke(comm));
    }
    if (me < 2)
        exchange(comm);
    else
        traffic(shrunk(comm));
    OK(MPI_Comm_free(&comm));
}

/* Nobody receives: 0 has sent to all, itself too, by every call that waits; then it is told that 2 revokes. */
static void posted_in_vain(MPI_Comm comm, MPI_Request *request, char **buffer)
{
    for (int i = 0; i < SENDS * all; i++) {
        buffer[i] = map();
        OK(MPI_Isend(buffer[i], SIZE, MPI_CHAR, i % all, i / all, comm, &request[i]));
    }
}

static void waited_in_vain(int way, int count, MPI_Request *request)
{
    static MPI_Status status[64];
    int index, some, indices[64];
    if (way == 0)
        for (int i = 0; i < count; i++)
            FAILS(MPI_Wait(&request[i], &status[0]), MPIX_ERR_REVOKED);
    else if (way == 1)
        FAILS(MPI_Waitall(count, request, status), MPI_ERR_IN_STATUS);
    else if (way == 2)
        for (int i = 0; i < count; i++)
            FAILS(MPI_Waitany(count, request, &index, &status[0]), MPIX_ERR_REVOKED);
    else
        for (int i = 0; i < count; i += some)
            FAILS(MPI_Waitsome(count, request, &some, indices, status), MPI_ERR_IN_STATUS);
    for (int i = 0; i < count; i++)
        CHECK(request[i] == MPI_REQUEST_NULL);
}

static void in_vain(int way)
{
    MPI_Comm comm, next;
    MPI_Request request[64];
    char *buffer[64];
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (me == 0)
        posted_in_vain(comm, request, buffer);
    meet(comm);
    if (me == 2)
        OK(MPIX_Comm_revoke(comm));
    if (me == 0)
        waited_in_vain(way, SENDS * all, request);
    for (int i = 0; i < SENDS * all && me == 0; i++)
        unmap(buffer[i]);
    next = shrunk(comm);
    traffic(next);
    OK(MPI_Comm_free(&next));
    OK(MPI_Comm_free(&comm));
}

/* The receiver has matched it, and never receives it; or too late. */
static void in_hand(bool receives)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Message message;
    char *buffer = map();
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (me == 0)
        OK(MPI_Isend(buffer, SIZE, MPI_CHAR, 1, 1, comm, &request));
    if (me == 1)
        OK(MPI_Mprobe(0, 1, comm, &message, MPI_STATUS_IGNORE));
    meet(comm);
    if (me == 2)
        OK(MPIX_Comm_revoke(comm));
    if (me == 0)
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    map_instead(buffer);
    meet(MPI_COMM_WORLD);
    if (me == 1 && receives)
        FAILS(MPI_Mrecv(buffer, SIZE, MPI_CHAR, &message, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    check_all(buffer, WRONG);
    unmap(buffer);
    OK(MPI_Comm_free(&comm));
}

/* A blocking send, and one whose receiver polls by tests and probes only. */
static void while_polled(void)
{
    MPI_Comm comm;
    MPI_Request request;
    char *buffer = map();
    int flag = 0, word = 0, revoked = 0;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    meet(comm);
    if (me == 1) {
        OK(MPI_Irecv(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request));
        while (AT("tests for the word of who gave up"), !flag)
            OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    } else if (me == 3) {
        while (AT("probes for the word of who gave up"), !flag)
            OK(MPI_Iprobe(0, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Recv(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else if (me == 2) {
        wait_a_little(2000);
        OK(MPIX_Comm_revoke(comm));
    } else {
        for (int peer = 1; peer < 4; peer += 2)
            FAILS(MPI_Send(buffer, SIZE, MPI_CHAR, peer, 1, comm), MPIX_ERR_REVOKED);
        unmap(buffer);
        for (int peer = 1; peer < 4; peer += 2)
            OK(MPI_Send(&word, 1, MPI_INT, peer, 7, MPI_COMM_WORLD));
    }
    while (AT("the revoke"), !revoked)
        OK(MPIX_Comm_is_revoked(comm, &revoked));
    OK(MPI_Comm_free(&comm));
    if (me != 0)
        unmap(buffer);
}

/* ---- collectives ---------------------------------------------------------------------------------------------------------------- */

static int allreduce(MPI_Comm comm, char *from, char *into)
{
    return CODE(MPI_Allreduce(from, into, SIZE, MPI_CHAR, MPI_BOR, comm));
}
static int bcast(MPI_Comm comm, char *from, char *into)
{
    (void)from;
    return CODE(MPI_Bcast(into, SIZE, MPI_CHAR, 0, comm));
}
static int alltoall(MPI_Comm comm, char *from, char *into)
{
    return CODE(MPI_Alltoall(from, SIZE / 8, MPI_CHAR, into, SIZE / 8, MPI_CHAR, comm));
}
static int ibcast(MPI_Comm comm, char *from, char *into)
{
    MPI_Request request;
    (void)from;
    int code = CODE(MPI_Ibcast(into, SIZE, MPI_CHAR, 0, comm, &request));
    return code == MPI_SUCCESS ? CODE(MPI_Wait(&request, MPI_STATUS_IGNORE)) : code;
}
static int (*const collectives[])(MPI_Comm, char *, char *) = {allreduce, bcast, alltoall, ibcast};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

/* Over and over, until it fails. Its buffers are gone at once. */
static void until_it_fails(MPI_Comm comm, int which)
{
    char *from = map(), *into = map();
    int code = MPI_SUCCESS;
    while (code == MPI_SUCCESS) {
        code = collectives[which](comm, from, into);
        if (code == MPI_SUCCESS && which != 2)
            check_all(into, RIGHT);
    }
    CHECK(code == MPIX_ERR_REVOKED || code == MPIX_ERR_PROC_FAILED);
    map_instead(from);
    map_instead(into);
    OK(MPIX_Comm_revoke(comm)); /* who finished the last one in time waits in the next */
    traffic(shrunk(comm));
    check_all(from, WRONG);
    check_all(into, WRONG);
    unmap(from);
    unmap(into);
}

static void revoked_collective(int which)
{
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    meet(comm);
    if (me == 2) {
        wait_a_little(500);
        OK(MPIX_Comm_revoke(comm));
        traffic(shrunk(comm));
    } else {
        until_it_fails(comm, which);
    }
    OK(MPI_Comm_free(&comm));
}

/* ---- deaths --------------------------------------------------------------------------------------------------------------------- */

/* Sender or receiver dies in the middle of it. */
static void to_the_dead(MPI_Comm comm, int victim)
{
    MPI_Request request;
    char *buffer = map();
    int code;
    if (me == 0)
        OK(MPI_Isend(buffer, SIZE, MPI_CHAR, victim, 2, comm, &request));
    else if (me == 1)
        OK(MPI_Irecv(buffer, SIZE, MPI_CHAR, victim, 3, comm, &request));
    else if (me == victim)
        OK(MPI_Isend(buffer, SIZE, MPI_CHAR, 1, 3, comm, &request));
    die_if(me == victim);
    if (me < 2) {
        code = CODE(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(code == MPIX_ERR_PROC_FAILED || (code == MPI_SUCCESS && me == 1));
        map_instead(buffer);
        traffic(shrunk(comm));
        check_all(buffer, WRONG);
    } else {
        traffic(shrunk(comm));
    }
    unmap(buffer);
}

/* The victim takes part in some, then dies while the others are at it. */
static MPI_Comm dead_collective(MPI_Comm comm, int which, int victim)
{
    char *from = map(), *into = map();
    MPI_Comm next;
    meet(comm);
    for (int i = 0; i < 2 && me == victim; i++)
        OK(collectives[which](comm, from, into));
    die_if(me == victim);
    unmap(from);
    unmap(into);
    until_it_fails(comm, which);
    next = shrunk(comm);
    return next;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 20); /* a revoked request that waited for something else would take more */
    for (int round = 0; round < ROUNDS; round++)
        at_any_time(round);
    for (int way = 0; way < 4; way++)
        in_vain(way);
    in_hand(false);
    in_hand(true);
    while_polled();
    for (int which = 0; which < COLLECTIVES; which++)
        revoked_collective(which);
    meet(MPI_COMM_WORLD);
    to_the_dead(MPI_COMM_WORLD, all - 1);
    MPI_Comm living = shrunk(MPI_COMM_WORLD);
    living = dead_collective(living, 0, all - 2);
    living = dead_collective(living, 1, all - 3);
    traffic(living);
    return end();
}
