/* sem_persistent_free: persistent requests without failures: what the program frees before them (communicator, datatype), requests that
 * are freed while active and not, cancelled, started wrongly; then from several threads at once. Two ranks are partners. */
#include "check.h"

#include <pthread.h>
#include <stdbool.h>

enum { TAG = 7, LARGE = 200000, THREADS = 4, ROUNDS = 50, STAMPED_AFTER = 24 };

static MPI_Comm comm, raised_on;
static int partner, raised;
static int out[2 * LARGE], in[2 * LARGE];

static void count_raised(MPI_Comm *where, int *code, ...)
{
    (void)code;
    raised_on = *where;
    raised++;
}

#define WRONG(call, wanted)                                 \
    do {                                                    \
        int class_, before_ = raised, code_ = CODE(call);   \
        MPI_Error_class(code_, &class_);                    \
        CHECK(class_ == (wanted) && raised - before_ == 1); \
    } while (0)

/* ---- freed before the request ----------------------------------------------------------------------------------------------- */

static void test_freed_type(void)
{
    MPI_Datatype type;
    MPI_Request request[2];
    OK(MPI_Type_vector(LARGE / 2, 1, 2, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Send_init(out, 1, type, partner, TAG, comm, &request[0]));
    OK(MPI_Recv_init(in, 1, type, partner, MPI_ANY_TAG, comm, &request[1]));
    OK(MPI_Type_free(&type));
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < LARGE; i++) {
            out[i] = 1000 * me + round + i;
            in[i] = -1;
        }
        OK(MPI_Startall(2, request));
        OK(MPI_Waitall(2, request, (MPI_Status[2]){{0}}));
        for (int i = 0; i < LARGE; i++)
            CHECK(in[i] == (i % 2 ? -1 : 1000 * partner + round + i));
    }
    OK(MPI_Request_free(&request[0]));
    OK(MPI_Request_free(&request[1]));
}

/* Communicators that are made after it do not hear what is started on it then. */
static void test_freed_comm(void)
{
    MPI_Request request[2], other;
    MPI_Comm old, later;
    MPI_Status status;
    int got = -1, flag = 1;
    OK(MPI_Comm_dup(comm, &old));
    OK(MPI_Send_init(out, 1, MPI_INT, partner, TAG, old, &request[0]));
    OK(MPI_Recv_init(in, 1, MPI_INT, partner, MPI_ANY_TAG, old, &request[1]));
    OK(MPI_Comm_free(&old));
    OK(MPI_Comm_dup(comm, &later));
    OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, later, &other));
    for (int round = 0; round < 3; round++) {
        out[0] = 10 * me + round;
        OK(MPI_Startall(2, request));
        OK(MPI_Wait(&request[1], &status));
        CHECK(in[0] == 10 * partner + round && status.MPI_SOURCE == partner && status.MPI_TAG == TAG);
        OK(MPI_Wait(&request[0], &status));
        OK(MPI_Test(&other, &flag, &status));
        CHECK(!flag);
    }
    OK(MPI_Barrier(comm));
    OK(MPI_Send(out, 1, MPI_INT, partner, TAG + 1, later));
    OK(MPI_Wait(&other, &status));
    CHECK(status.MPI_TAG == TAG + 1);
    OK(MPI_Request_free(&request[0]));
    OK(MPI_Request_free(&request[1]));
    OK(MPI_Comm_free(&later));
}

/* ---- freed and cancelled ---------------------------------------------------------------------------------------------------- */

/* Both go on. The receive is complete when a later message of the same sender has been answered by one that looked for both. */
static void test_free_active(int count, int tag)
{
    MPI_Request send, receive;
    volatile int *last = &in[count - 1];
    int flag;
    out[count - 1] = 500 + me;
    in[count - 1] = -1;
    OK(MPI_Recv_init(in, count, MPI_INT, partner, tag, comm, &receive));
    OK(MPI_Send_init(out, count, MPI_INT, partner, TAG, comm, &send));
    OK(MPI_Start(&receive));
    OK(MPI_Request_free(&receive));
    OK(MPI_Start(&send));
    OK(MPI_Request_free(&send));
    CHECK(receive == MPI_REQUEST_NULL && send == MPI_REQUEST_NULL);
    AT("a receive that was freed");
    while (*last != 500 + partner)
        OK(MPI_Iprobe(partner, TAG + 5, comm, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(comm));
}

static void test_cancel(int source, int tag)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled = 0, flag = 0;
    OK(MPI_Recv_init(in, 1, MPI_INT, source, tag, comm, &request));
    for (int round = 0; round < 3; round++) {
        OK(MPI_Start(&request));
        OK(MPI_Cancel(&request));
        if (round == 0)
            OK(MPI_Wait(&request, &status));
        while (round == 1 && !flag)
            OK(MPI_Testall(1, &request, &flag, &status));
        if (round == 2)
            OK(MPI_Waitsome(1, &request, &flag, &(int){0}, &status));
        OK(MPI_Test_cancelled(&status, &cancelled));
        CHECK(cancelled && request != MPI_REQUEST_NULL);
    }
    OK(MPI_Barrier(comm));
    OK(MPI_Start(&request));
    OK(MPI_Send(&me, 1, MPI_INT, partner, TAG, comm));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK(!cancelled && in[0] == partner && status.MPI_SOURCE == partner && status.MPI_TAG == TAG);
    OK(MPI_Request_free(&request));
    OK(MPI_Barrier(comm));
}

/* ---- wrong ------------------------------------------------------------------------------------------------------------------- */

static void test_wrong(void)
{
    MPI_Request request[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}, plain;
    MPI_Status status;
    int flag = 0;
    OK(MPI_Recv_init(in, 1, MPI_INT, partner, TAG, comm, &request[0]));
    OK(MPI_Recv_init(in, 1, MPI_INT, partner, TAG, comm, &request[1]));
    OK(MPI_Irecv(in + 2, 1, MPI_INT, partner, TAG + 1, comm, &plain));
    WRONG(MPI_Start(&request[2]), MPI_ERR_REQUEST);
    WRONG(MPI_Start(&plain), MPI_ERR_REQUEST);
    WRONG(MPI_Startall(3, request), MPI_ERR_REQUEST); /* starts none */
    request[2] = plain;
    WRONG(MPI_Startall(3, request), MPI_ERR_REQUEST);
    OK(MPI_Testall(2, request, &flag, (MPI_Status[2]){{0}}));
    CHECK(flag);
    OK(MPI_Start(&request[0]));
    raised_on = MPI_COMM_NULL;
    WRONG(MPI_Start(&request[0]), MPI_ERR_REQUEST);
    CHECK(raised_on == comm);
    raised_on = MPI_COMM_NULL;
    WRONG(MPI_Startall(2, request), MPI_ERR_REQUEST);
    CHECK(raised_on == comm);
    WRONG(MPI_Startall(-1, request), MPI_ERR_COUNT);
    OK(MPI_Startall(0, request));
    OK(MPI_Barrier(comm));
    OK(MPI_Send(&me, 1, MPI_INT, partner, TAG, comm));
    OK(MPI_Send(&me, 1, MPI_INT, partner, TAG + 1, comm));
    OK(MPI_Wait(&request[0], &status));
    OK(MPI_Wait(&plain, &status));
    CHECK(in[0] == partner && in[2] == partner);
    OK(MPI_Request_free(&request[0]));
    OK(MPI_Request_free(&request[1]));
}

/* A buffered send without a buffer fails at its start, and can be started when there is one. */
static void test_unbuffered(void)
{
    static char attached[4096];
    MPI_Request request;
    void *address;
    int size;
    OK(MPI_Bsend_init(&me, 1, MPI_INT, partner, TAG, comm, &request));
    WRONG(MPI_Start(&request), MPI_ERR_BUFFER);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Buffer_attach(attached, sizeof attached));
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Recv(in, 1, MPI_INT, partner, TAG, comm, MPI_STATUS_IGNORE));
    CHECK(in[0] == partner);
    OK(MPI_Buffer_detach(&address, &size));
    OK(MPI_Request_free(&request));
}

/* ---- threads ----------------------------------------------------------------------------------------------------------------- */

/* `at` is for all threads: what one of them says of another's call does not matter. */
static void *exchange(void *argument)
{
    int tag = 100 + *(int *)argument, give = 0, got[2];
    MPI_Request request[3];
    MPI_Status status[3];
    OK(MPI_Send_init(&give, 1, MPI_INT, partner, tag, comm, &request[0]));
    OK(MPI_Recv_init(&got[0], 1, MPI_INT, partner, tag, comm, &request[1]));
    OK(MPI_Recv_init(&got[1], 1, MPI_INT, partner, tag, comm, &request[2]));
    for (int round = 0; round < ROUNDS; round++) {
        int index = 1 + round % 2, flag = 0;
        give = 1000 * tag + round;
        got[index - 1] = -1;
        OK(MPI_Start(&request[index]));
        OK(MPI_Start(&request[0]));
        if (round % 3 == 0)
            OK(MPI_Waitall(3, request, status));
        while (round % 3 == 1 && !flag)
            OK(MPI_Testall(3, request, &flag, status));
        for (int done = 0; round % 3 == 2 && done < 2; done++)
            OK(MPI_Waitany(3, request, &flag, status));
        CHECK(got[index - 1] == 1000 * tag + round);
    }
    for (int i = 0; i < 3; i++)
        OK(MPI_Request_free(&request[i]));
    return NULL;
}

static void test_threads(void)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    for (int t = 0; t < THREADS; t++) {
        number[t] = t;
        CHECK(pthread_create(&thread[t], NULL, exchange, &number[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
}

int main(int argc, char **argv)
{
    MPI_Comm many[STAMPED_AFTER];
    MPI_Errhandler counts;
    begin_threads(&argc, &argv, 60, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    partner = me ^ 1;
    OK(MPI_Comm_create_errhandler(count_raised, &counts));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, counts));
    for (int i = 0; i < STAMPED_AFTER; i++) {
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &many[i]));
        OK(MPI_Comm_set_errhandler(many[i], counts));
    }
    for (int i = 0; i < STAMPED_AFTER; i += STAMPED_AFTER - 1) {
        comm = many[i];
        test_freed_type();
        test_freed_comm();
        test_free_active(1, TAG);
        test_free_active(LARGE, MPI_ANY_TAG);
        test_cancel(partner, TAG);
        test_cancel(MPI_ANY_SOURCE, MPI_ANY_TAG);
        test_wrong();
        test_unbuffered();
        if (argc > 1)
            test_threads();
    }
    for (int i = 0; i < STAMPED_AFTER; i++)
        OK(MPI_Comm_free(&many[i]));
    OK(MPI_Errhandler_free(&counts));
    return end();
}
