/* any_side: receives from any source, where some senders are on this host and some on others: everything that was sent comes once, and
 * that of each sender in the order it was sent, whichever way a receiver takes it. Also on communicators beyond the first sixteen.
 *
 *      test-mpi-any_side [threads]         threads: with MPI_THREAD_MULTIPLE, which takes the layer's locks */
#include "check.h"

enum { MESSAGES = 240, COMMS = 20, POSTED = 4, LARGE = 40000, LARGEST = 300000 };

static char *room[POSTED];
static int next_of[64]; /* by sender */

static int size_of(int number)
{
    return number % 40 == 7 ? LARGEST : number % 16 == 3 ? LARGE : number % 3 == 1 ? 3000 : 16;
}

/* The number of a message is at both ends of it. */
static void fill(char *buffer, int number)
{
    int size = size_of(number);
    memset(buffer, number, (size_t)size);
    memcpy(buffer, &number, sizeof number);
    memcpy(buffer + size - sizeof number, &number, sizeof number);
}

static void look_at(const char *buffer, const MPI_Status *status)
{
    int number, last, size;
    OK(MPI_Get_count(status, MPI_CHAR, &size));
    memcpy(&number, buffer, sizeof number);
    CHECK(number == next_of[status->MPI_SOURCE]++);
    CHECK(size == size_of(number) && status->MPI_TAG == number % 5);
    memcpy(&last, buffer + size - sizeof last, sizeof last);
    CHECK(last == number && buffer[size / 2] == (char)number);
}

/* ---- ways to receive: each says how many it took ------------------------------------------------------------------------------- */

static int by_recv(MPI_Comm comm)
{
    MPI_Status status;
    OK(MPI_Recv(room[0], LARGEST, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status));
    look_at(room[0], &status);
    return 1;
}

/* Those that were posted first get what came first. */
static int by_irecv(MPI_Comm comm)
{
    MPI_Request request[POSTED];
    MPI_Status status[POSTED];
    for (int i = 0; i < POSTED; i++)
        OK(MPI_Irecv(room[i], LARGEST, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request[i]));
    OK(MPI_Waitall(POSTED, request, status));
    for (int i = 0; i < POSTED; i++)
        look_at(room[i], &status[i]);
    return POSTED;
}

static int by_mprobe(MPI_Comm comm)
{
    MPI_Message message;
    MPI_Status status;
    OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status));
    OK(MPI_Mrecv(room[0], LARGEST, MPI_CHAR, &message, &status));
    look_at(room[0], &status);
    return 1;
}

static int by_probe(MPI_Comm comm)
{
    MPI_Status status;
    OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status));
    OK(MPI_Recv(room[0], LARGEST, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, comm, &status));
    look_at(room[0], &status);
    return 1;
}

static int by_testany(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Status status;
    int index, flag = 0;
    OK(MPI_Irecv(room[0], LARGEST, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request));
    while (AT("tests for any message"), !flag)
        OK(MPI_Testany(1, &request, &index, &flag, &status));
    look_at(room[0], &status);
    return 1;
}

/* A receive that the program takes back, or that had its message already. */
static int by_cancelled(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled;
    OK(MPI_Irecv(room[0], LARGEST, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &cancelled));
    if (cancelled)
        return 0;
    look_at(room[0], &status);
    return 1;
}

static int (*const way[])(MPI_Comm) = {by_recv, by_irecv, by_mprobe, by_probe, by_testany, by_cancelled};
enum { WAYS = sizeof way / sizeof *way };

/* ---- one receiver ---------------------------------------------------------------------------------------------------------------- */

static void receive_all(MPI_Comm comm, int count)
{
    memset(next_of, 0, sizeof next_of);
    for (int left = (all - 1) * count; left > 0;) {
        int chosen = rand() % WAYS;
        left -= way[left < POSTED && chosen == 1 ? 0 : chosen](comm);
    }
}

static void send_all(MPI_Comm comm, int to, int count)
{
    for (int number = 0; number < count; number++) {
        fill(room[0], number);
        if (number % 7 == 2)
            OK(MPI_Ssend(room[0], size_of(number), MPI_CHAR, to, number % 5, comm));
        else
            OK(MPI_Send(room[0], size_of(number), MPI_CHAR, to, number % 5, comm));
    }
}

static void with(MPI_Comm comm, int count)
{
    for (int receiver = 0; receiver < all; receiver++) {
        if (me == receiver)
            receive_all(comm, count);
        else
            send_all(comm, receiver, count);
        OK(MPI_Barrier(comm));
    }
}

/* ---- around another host ---------------------------------------------------------------------------------------------------------- */

/* Rank 0 waits for rank 2, which waits for rank 1, whose message to 0 is received while 0 waits. 0 and 1 are on one host. */
static void go_around(int round)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int word = 0, done = 0, size = round % 2 ? 1 : LARGE;
    if (me == 0) {
        OK(MPI_Irecv(room[0], size, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request));
        while (round / 2 == 1 && !done)
            OK(MPI_Iprobe(2, 2, MPI_COMM_WORLD, &done, &status));
        OK(MPI_Recv(&word, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    if (me == 1) {
        OK(MPI_Ssend(room[0], size, MPI_CHAR, 0, 1, MPI_COMM_WORLD));
        OK(MPI_Send(&word, 1, MPI_INT, 2, 2, MPI_COMM_WORLD));
    }
    if (me == 2) {
        OK(MPI_Recv(&word, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Send(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    MPI_Comm more[COMMS];
    begin_threads(&argc, &argv, 60, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    srand((unsigned)me + 1);
    for (int i = 0; i < POSTED; i++)
        CHECK((room[i] = malloc(LARGEST)) != NULL);
    for (int round = 0; round < 4; round++)
        go_around(round);
    with(MPI_COMM_WORLD, MESSAGES);
    for (int i = 0; i < COMMS; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &more[i]));
    for (int i = COMMS - 3; i < COMMS; i++)
        with(more[i], MESSAGES / 4);
    for (int i = 0; i < COMMS; i++)
        OK(MPI_Comm_free(&more[i]));
    for (int i = 0; i < POSTED; i++)
        free(room[i]);
    return end();
}
