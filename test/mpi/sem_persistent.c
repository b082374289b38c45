/* sem_persistent: persistent requests without failures, as the standard has them: all modes, all calls that complete, inactive requests
 * among others, what is freed before what, cancelled and wrong ones; the same on a communicator whose tags carry a stamp. Two ranks
 * are partners. */
#include "check.h"

#include <stdbool.h>

enum { ROUNDS = 12, SMALL = 3, LARGE = 200000, TAG = 7, STAMPED_AFTER = 24, OVERHEAD = 1 << 16 };

static MPI_Comm comm;
static int partner;
static int out[LARGE], in[LARGE];

/* ---- statuses --------------------------------------------------------------------------------------------------------------- */

static void check_empty(const MPI_Status *status)
{
    int count = -1, cancelled = -1;
    OK(MPI_Get_count(status, MPI_INT, &count));
    OK(MPI_Test_cancelled(status, &cancelled));
    CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0 && !cancelled);
}

static void check_received(const MPI_Status *status, int count, int tag, int value)
{
    int got = -1;
    OK(MPI_Get_count(status, MPI_INT, &got));
    CHECK(got == count && status->MPI_SOURCE == partner && status->MPI_TAG == tag);
    for (int i = 0; i < count; i++)
        CHECK(in[i] == value + i);
}

static void spoil(MPI_Status *status, int count)
{
    memset(status, 0x5a, (size_t)count * sizeof *status);
}

/* ---- every way to complete two: a send and a receive ------------------------------------------------------------------------- */

enum way { WAIT, TEST, WAITALL, TESTALL, WAITANY, TESTANY, WAITSOME, TESTSOME, GET_STATUS, WAYS };

static void each_alone(MPI_Request *request, MPI_Status *status, enum way way)
{
    for (int i = 1; i >= 0; i--) {
        int flag = way == WAIT;
        while (!flag && way == GET_STATUS)
            OK(MPI_Request_get_status(request[i], &flag, &status[i]));
        if (way == WAIT || way == GET_STATUS)
            OK(MPI_Wait(&request[i], &status[i]));
        while (!flag)
            OK(MPI_Test(&request[i], &flag, &status[i]));
    }
}

static void both_at_once(MPI_Request *request, MPI_Status *status, enum way way)
{
    int flag = way == WAITALL;
    if (way == WAITALL)
        OK(MPI_Waitall(2, request, status));
    while (!flag)
        OK(MPI_Testall(2, request, &flag, status));
    CHECK(status[0].MPI_ERROR == MPI_SUCCESS && status[1].MPI_ERROR == MPI_SUCCESS);
}

static void one_of_them(MPI_Request *request, MPI_Status *status, enum way way)
{
    for (int done = 0, flag = way == WAITANY, index; done < 2; done++, flag = way == WAITANY) {
        MPI_Status one;
        if (way == WAITANY)
            OK(MPI_Waitany(2, request, &index, &one));
        while (!flag)
            OK(MPI_Testany(2, request, &index, &flag, &one));
        CHECK(index == 0 || index == 1);
        status[index] = one;
    }
}

static void some_of_them(MPI_Request *request, MPI_Status *status, enum way way)
{
    for (int done = 0, count, index[2]; done < 2; done += count) {
        MPI_Status some[2];
        if (way == WAITSOME)
            OK(MPI_Waitsome(2, request, &count, index, some));
        else
            OK(MPI_Testsome(2, request, &count, index, some));
        CHECK(count >= (way == WAITSOME) && count <= 2);
        for (int i = 0; i < count; i++)
            status[index[i]] = some[i];
    }
}

static void complete(MPI_Request *request, MPI_Status *status, enum way way)
{
    if (way == WAIT || way == TEST || way == GET_STATUS)
        each_alone(request, status, way);
    else if (way == WAITALL || way == TESTALL)
        both_at_once(request, status, way);
    else if (way == WAITANY || way == TESTANY)
        one_of_them(request, status, way);
    else
        some_of_them(request, status, way);
}

/* ---- modes ------------------------------------------------------------------------------------------------------------------ */

typedef int init_call(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                      MPI_Request *request);

static void fill(int count, int value)
{
    for (int i = 0; i < count; i++) {
        out[i] = value + i;
        in[i] = -1;
    }
}

/* The receive is started first everywhere: a ready send needs that. */
static void exchange(MPI_Request *request, int count, int tag, int round, bool together)
{
    MPI_Request before[2] = {request[0], request[1]};
    MPI_Status status[2];
    int mine = 1000 * me + 10 * round, other = 1000 * partner + 10 * round;
    fill(count, mine);
    spoil(status, 2);
    if (together)
        OK(MPI_Startall(2, request));
    else
        OK(MPI_Start(&request[1]));
    OK(MPI_Barrier(comm));
    if (!together)
        OK(MPI_Start(&request[0]));
    complete(request, status, (enum way)(round % WAYS));
    CHECK(request[0] == before[0] && request[1] == before[1]);
    check_received(&status[1], count, tag, other);
}

static void test_mode(init_call *init, int count, int source, int tag, bool ready)
{
    MPI_Request request[2];
    MPI_Status status;
    OK(init(out, count, MPI_INT, partner, TAG, comm, &request[0]));
    OK(MPI_Recv_init(in, count, MPI_INT, source, tag, comm, &request[1]));
    for (int round = 0; round < ROUNDS; round++) {
        exchange(request, count, TAG, round, !ready && round % 2);
        OK(MPI_Wait(&request[round % 2], &status));
        check_empty(&status);
    }
    OK(MPI_Request_free(&request[0]));
    OK(MPI_Request_free(&request[1]));
    CHECK(request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL);
}

static void test_modes(void)
{
    static char attached[3 * (LARGE * sizeof(int) + OVERHEAD)]; /* the partner may be behind */
    void *address;
    int size;
    OK(MPI_Buffer_attach(attached, sizeof attached));
    for (int large = 0; large < 2; large++) {
        int count = large ? LARGE : SMALL;
        test_mode(MPI_Send_init, count, partner, TAG, false);
        test_mode(MPI_Ssend_init, count, partner, MPI_ANY_TAG, false);
        test_mode(MPI_Rsend_init, count, partner, TAG, true);
        test_mode(MPI_Bsend_init, count, MPI_ANY_SOURCE, TAG, false);
        test_mode(MPI_Send_init, count, MPI_ANY_SOURCE, MPI_ANY_TAG, false);
    }
    OK(MPI_Buffer_detach(&address, &size));
}

/* ---- inactive requests ------------------------------------------------------------------------------------------------------- */

static void inactive_all(MPI_Request *request, int count)
{
    MPI_Status status[4];
    int flag = 0;
    spoil(status, 4);
    OK(MPI_Waitall(count, request, status));
    for (int i = 0; i < count; i++)
        check_empty(&status[i]);
    OK(MPI_Testall(count, request, &flag, status));
    CHECK(flag);
    for (int i = 0; i < count; i++)
        check_empty(&status[i]);
}

static void inactive_some(MPI_Request *request, int count)
{
    MPI_Status status[4];
    int flag = 0, index = 0, done = 0, indices[4];
    OK(MPI_Waitany(count, request, &index, &status[0]));
    CHECK(index == MPI_UNDEFINED);
    check_empty(&status[0]);
    spoil(status, 1);
    index = 0;
    OK(MPI_Testany(count, request, &index, &flag, &status[0]));
    CHECK(index == MPI_UNDEFINED && flag);
    check_empty(&status[0]);
    OK(MPI_Waitsome(count, request, &done, indices, status));
    CHECK(done == MPI_UNDEFINED);
    done = 0;
    OK(MPI_Testsome(count, request, &done, indices, status));
    CHECK(done == MPI_UNDEFINED);
}

static void inactive_alone(MPI_Request *request)
{
    MPI_Status status;
    int flag = 0;
    spoil(&status, 1);
    OK(MPI_Test(request, &flag, &status));
    CHECK(flag);
    check_empty(&status);
    flag = 0;
    spoil(&status, 1);
    OK(MPI_Request_get_status(*request, &flag, &status));
    CHECK(flag);
    check_empty(&status);
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

static void test_inactive(void)
{
    MPI_Request request[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}, before[4];
    OK(MPI_Recv_init(in, 1, MPI_INT, partner, TAG, comm, &request[1]));
    OK(MPI_Send_init(out, 1, MPI_INT, partner, TAG, comm, &request[3]));
    memcpy(before, request, sizeof before);
    inactive_all(request, 4);
    inactive_some(request, 4);
    inactive_alone(&request[1]);
    inactive_alone(&request[3]);
    CHECK(memcmp(before, request, sizeof before) == 0);
    OK(MPI_Request_free(&request[1]));
    OK(MPI_Request_free(&request[3]));
}

/* ---- among others ------------------------------------------------------------------------------------------------------------ */

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 2);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 5;
    status->MPI_TAG = 6;
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel_nothing(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

enum { INACTIVE, NONE, PERSISTENT_IN, PLAIN_IN, GENERAL, PERSISTENT_OUT, COLLECTIVE, PLAIN_OUT, OTHERS };

static void begin_mix(MPI_Request *request, int round)
{
    out[0] = 100 * me + round;
    out[1] = -out[0];
    in[0] = in[1] = 0;
    OK(MPI_Start(&request[PERSISTENT_IN]));
    OK(MPI_Irecv(&in[1], 1, MPI_INT, partner, TAG + 1, comm, &request[PLAIN_IN]));
    OK(MPI_Grequest_start(query, nothing, cancel_nothing, NULL, &request[GENERAL]));
    OK(MPI_Start(&request[PERSISTENT_OUT]));
    OK(MPI_Ibarrier(comm, &request[COLLECTIVE]));
    OK(MPI_Isend(&out[1], 1, MPI_INT, partner, TAG + 1, comm, &request[PLAIN_OUT]));
    OK(MPI_Grequest_complete(request[GENERAL]));
}

static void complete_mix(MPI_Request *request, MPI_Status *status, int round)
{
    int done = 0, left = OTHERS - 2, flag = 0, indices[OTHERS];
    MPI_Status some[OTHERS];
    if (round % 4 == 0)
        OK(MPI_Waitall(OTHERS, request, status));
    while (round % 4 == 1 && !flag)
        OK(MPI_Testall(OTHERS, request, &flag, status));
    while (round % 4 == 2 && left-- > 0) {
        OK(MPI_Waitany(OTHERS, request, indices, some));
        CHECK(indices[0] != INACTIVE && indices[0] != NONE && indices[0] != MPI_UNDEFINED);
        status[indices[0]] = some[0];
    }
    for (; round % 4 == 3 && left > 0; left -= done) {
        OK(MPI_Waitsome(OTHERS, request, &done, indices, some));
        CHECK(done > 0);
        for (int i = 0; i < done; i++)
            status[indices[i]] = some[i];
    }
}

static void test_mixture(void)
{
    MPI_Request request[OTHERS], before[OTHERS];
    MPI_Status status[OTHERS];
    for (int i = 0; i < OTHERS; i++)
        before[i] = MPI_REQUEST_NULL;
    OK(MPI_Recv_init(in, 1, MPI_INT, partner, TAG, comm, &before[PERSISTENT_IN]));
    OK(MPI_Send_init(out, 1, MPI_INT, partner, TAG, comm, &before[PERSISTENT_OUT]));
    OK(MPI_Send_init(out, 1, MPI_INT, partner, TAG, comm, &before[INACTIVE]));
    memcpy(request, before, sizeof before);
    for (int round = 0; round < ROUNDS; round++) {
        begin_mix(request, round);
        complete_mix(request, status, round);
        CHECK(memcmp(request, before, sizeof before) == 0);
        CHECK(in[0] == 100 * partner + round && in[1] == -in[0]);
        CHECK(status[PERSISTENT_IN].MPI_TAG == TAG && status[PLAIN_IN].MPI_TAG == TAG + 1);
        CHECK(status[GENERAL].MPI_SOURCE == 5 && status[GENERAL].MPI_TAG == 6);
    }
    OK(MPI_Request_free(&before[INACTIVE]));
    OK(MPI_Request_free(&before[PERSISTENT_IN]));
    OK(MPI_Request_free(&before[PERSISTENT_OUT]));
}

/* ---- with nobody ------------------------------------------------------------------------------------------------------------- */

static void test_proc_null(void)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int count = -1;
    OK(MPI_Send_init(out, 1, MPI_INT, MPI_PROC_NULL, TAG, comm, &request[0]));
    OK(MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, TAG, comm, &request[1]));
    for (int round = 0; round < WAYS; round++) {
        OK(MPI_Startall(2, request));
        complete(request, status, (enum way)round);
        OK(MPI_Get_count(&status[1], MPI_INT, &count));
        CHECK(status[1].MPI_SOURCE == MPI_PROC_NULL && status[1].MPI_TAG == MPI_ANY_TAG && count == 0);
    }
    OK(MPI_Start(&request[1]));
    OK(MPI_Request_free(&request[1]));
    OK(MPI_Request_free(&request[0]));
}

int main(int argc, char **argv)
{
    MPI_Comm many[STAMPED_AFTER];
    begin(&argc, &argv, 60);
    partner = me ^ 1;
    comm = MPI_COMM_WORLD;
    for (int i = 0; i < STAMPED_AFTER; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &many[i]));
    for (int i = 0; i < 2; i++) {
        test_modes();
        test_inactive();
        test_mixture();
        test_proc_null();
        comm = many[STAMPED_AFTER - 1];
    }
    for (int i = 0; i < STAMPED_AFTER; i++)
        OK(MPI_Comm_free(&many[i]));
    return end();
}
