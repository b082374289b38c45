/* sem_carried: what the carrier must not change: any number of large sends under way; cancelling what was matched; datatypes that are
 * freed while receives use them; a receive that is given up while its message comes in pieces. The last rank dies.
 *
 *      test-mpi-sem_carried [large]        large: two ranks, more than 2 GiB, nobody dies */
#include "check.h"

#include <stdio.h>

enum { MANY = 1100, LARGE = 16384, HUGE_BYTES = 1 << 20, TAG = 6, TURNS = 20000, GROWTH_KIB = 4096 };

static char *data, *room;
static volatile int *flag; /* in memory that all share: what a rank sees outside MPI */

static void share_flag(MPI_Win *win)
{
    void *mine;
    MPI_Aint size;
    int unit;
    OK(MPI_Win_allocate_shared(me == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, win));
    OK(MPI_Win_shared_query(*win, 0, &size, &unit, &mine));
    flag = mine;
    if (me == 0)
        *flag = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Outside MPI. */
static void await(int value)
{
    AT("waits outside MPI");
    while (*flag < value)
        usleep(100);
}

/* ---- any number of sends ------------------------------------------------------------------------------------------------------- */

/* None is received before a later, small one. */
static void many_large(void)
{
    static MPI_Request request[MANY];
    static MPI_Status status[MANY];
    int last = 5;
    for (int i = 0; i < MANY && me == 0; i++)
        OK(MPI_Isend(data + i, LARGE, MPI_CHAR, 1, i, MPI_COMM_WORLD, &request[i]));
    if (me == 0) {
        OK(MPI_Send(&last, 1, MPI_INT, 1, MANY, MPI_COMM_WORLD));
        OK(MPI_Waitall(MANY, request, status));
    }
    if (me == 1)
        OK(MPI_Recv(&last, 1, MPI_INT, 0, MANY, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = MANY; i-- > 0 && me == 1;) {
        OK(MPI_Recv(room, LARGE, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(memcmp(room, data + i, LARGE) == 0);
    }
}

/* ---- cancelling ------------------------------------------------------------------------------------------------------------------ */

static int was_cancelled(MPI_Request *request)
{
    MPI_Status status;
    int cancelled;
    OK(MPI_Wait(request, &status));
    OK(MPI_Test_cancelled(&status, &cancelled));
    return cancelled;
}

/* A message that a probe has matched is its receiver's. */
static void cancel_what_is_probed(int synchronous)
{
    MPI_Request request;
    MPI_Message message;
    int bytes = synchronous ? 8 : HUGE_BYTES;
    if (me == 0)
        OK((synchronous ? MPI_Issend : MPI_Isend)(data, bytes, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &request));
    if (me == 1)
        OK(MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (me == 0)
        OK(MPI_Cancel(&request));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (me == 1) {
        OK(MPI_Mrecv(room, bytes, MPI_CHAR, &message, MPI_STATUS_IGNORE));
        CHECK(memcmp(room, data, (size_t)bytes) == 0);
    }
    if (me == 0)
        CHECK(!was_cancelled(&request));
}

static void test_a_little(MPI_Request *request)
{
    int done;
    for (int turn = 0; turn < 1000; turn++)
        OK(MPI_Test(request, &done, MPI_STATUS_IGNORE));
}

/* Two messages whose receives have taken them, and whose receiver is outside MPI: neither is taken back. */
static void cancel_what_is_taken(int step)
{
    MPI_Request request[2];
    MPI_Status status[2];
    for (int i = 0; i < 2 && me == 0; i++)
        OK(MPI_Isend(data + i, HUGE_BYTES, MPI_CHAR, 1, TAG + i, MPI_COMM_WORLD, &request[i]));
    for (int i = 0; i < 2 && me == 1; i++)
        OK(MPI_Probe(0, TAG + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2 && me == 1; i++)
        OK(MPI_Irecv(room + i * HUGE_BYTES, HUGE_BYTES, MPI_CHAR, 0, TAG + i, MPI_COMM_WORLD, &request[i]));
    if (me == 1) {
        *flag = step;
        await(step + 1);
        OK(MPI_Waitall(2, request, status));
        for (int i = 0; i < 2; i++)
            CHECK(memcmp(room + i * HUGE_BYTES, data + i, HUGE_BYTES) == 0);
    }
    if (me == 0) {
        await(step);
        if (request[0] != MPI_REQUEST_NULL)
            test_a_little(&request[0]);
        OK(MPI_Cancel(&request[1]));
        *flag = step + 1;
        CHECK(!was_cancelled(&request[1]));
        OK(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    }
}

/* ---- datatypes ----------------------------------------------------------------------------------------------------------------------- */

static MPI_Datatype every_second(int count)
{
    MPI_Datatype type;
    OK(MPI_Type_vector(count, 1, 2, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    return type;
}

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%*d %ld", &pages) == 1);
    fclose(file);
    return pages * 4;
}

/* Freed while its receive is under way, always another one: no memory is kept. */
static void free_types_early(void)
{
    int ints[8] = {0}, sent[4] = {1, 2, 3, 4};
    long before = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        MPI_Request request;
        if (turn == TURNS / 10)
            before = resident_kib();
        MPI_Datatype type = every_second(4);
        OK(MPI_Irecv(ints, 1, type, me, TAG, MPI_COMM_WORLD, &request));
        OK(MPI_Type_free(&type));
        OK(MPI_Send(sent, 4, MPI_INT, me, TAG, MPI_COMM_WORLD));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    CHECK(ints[0] == 1 && ints[2] == 2 && ints[4] == 3 && ints[6] == 4 && ints[1] == 0);
    CHECK(resident_kib() - before < GROWTH_KIB);
}

/* A persistent receive and its datatype are freed while it is under way; others of that size come after. */
static void free_persistent_early(void)
{
    int ints[8] = {0}, sent[4] = {1, 2, 3, 4};
    if (me == 1) {
        MPI_Request request;
        MPI_Datatype type = every_second(4), other[4];
        OK(MPI_Recv_init(ints, 1, type, 0, TAG, MPI_COMM_WORLD, &request));
        OK(MPI_Start(&request));
        OK(MPI_Request_free(&request));
        OK(MPI_Type_free(&type));
        for (int i = 0; i < 4; i++) {
            OK(MPI_Type_contiguous(4 + i, MPI_INT, &other[i]));
            OK(MPI_Type_commit(&other[i]));
        }
        OK(MPI_Send(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD));
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < 4; i++) {
            CHECK(ints[2 * i] == i + 1 && ints[2 * i + 1] == 0);
            OK(MPI_Type_free(&other[i]));
        }
    }
    if (me == 0) {
        OK(MPI_Recv(NULL, 0, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Send(sent, 4, MPI_INT, 1, TAG, MPI_COMM_WORLD));
        OK(MPI_Send(NULL, 0, MPI_INT, 1, TAG + 1, MPI_COMM_WORLD));
    }
}

/* More than 2 GiB of a derived datatype, to and from a plain one. */
static void send_much(int derived_end)
{
    enum { ONE = 1 << 21, COUNT = 1100 };
    MPI_Datatype type;
    char *much = calloc(COUNT, ONE);
    CHECK(much != NULL);
    OK(MPI_Type_contiguous(ONE, MPI_CHAR, &type));
    OK(MPI_Type_commit(&type));
    for (int i = 0; i < COUNT && me == 0; i++)
        much[(size_t)i * ONE + (size_t)i] = (char)(i + 1);
    int count = me == derived_end ? COUNT : COUNT * (ONE / 8);
    MPI_Datatype used = me == derived_end ? type : MPI_LONG_LONG;
    if (me == 0)
        OK(MPI_Send(much, count, used, 1, TAG, MPI_COMM_WORLD));
    else
        OK(MPI_Recv(much, count, used, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < COUNT; i++)
        CHECK(much[(size_t)i * ONE + (size_t)i] == (char)(i + 1));
    OK(MPI_Type_free(&type));
    free(much);
}

/* ---- a death while a message comes in pieces ------------------------------------------------------------------------------------------ */

/* 1 has matched the message of 0, which is outside MPI, when the last rank dies: the receive ends with an error, and leaves its buffer alone;
 * the message is there for the next one. */
static void give_up_what_comes(int step)
{
    MPI_Request request;
    MPI_Status status;
    int doomed = all - 1;
    if (me == 0) {
        OK(MPI_Isend(data, HUGE_BYTES, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &request));
        *flag = step;
        await(step + 1);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    if (me == doomed) {
        await(step);
        die_if(1);
    }
    if (me != 1)
        return;
    memset(room, 'x', 2 * HUGE_BYTES);
    await(step);
    int code = CODE(MPI_Recv(room, HUGE_BYTES, MPI_CHAR, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status));
    CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED);
    *flag = step + 1;
    if (code != MPI_SUCCESS) {
        OK(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
        memset(room, 'y', HUGE_BYTES);
        OK(MPI_Recv(room + HUGE_BYTES, HUGE_BYTES, MPI_CHAR, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status));
        for (int i = 0; i < HUGE_BYTES; i++)
            CHECK(room[i] == 'y');
    }
    CHECK(status.MPI_SOURCE == 0 && memcmp(room + (code != MPI_SUCCESS) * HUGE_BYTES, data, HUGE_BYTES) == 0);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    begin(&argc, &argv, argc > 1 ? 200 : 60);
    if (argc > 1) {
        send_much(0);
        send_much(1);
        return end();
    }
    data = malloc(2 * HUGE_BYTES);
    room = malloc(2 * HUGE_BYTES);
    CHECK(data && room);
    for (int i = 0; i < 2 * HUGE_BYTES; i++)
        data[i] = (char)(i * 7 + i / 251);
    share_flag(&win);
    many_large();
    cancel_what_is_probed(0);
    cancel_what_is_probed(1);
    cancel_what_is_taken(1);
    free_types_early();
    free_persistent_early();
    give_up_what_comes(3);
    free(data);
    free(room);
    MPI_Win_free(&win);
    return end();
}
