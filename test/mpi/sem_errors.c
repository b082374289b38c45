/* sem_errors: how errors reach the program. Handlers of calls that complete several requests hear what the request failed by, once, on its
 * communicator; they may be left by longjmp. Calls that begin something on a revoked communicator give a request, whose completion
 * raises. Calls that complete one request leave the error field of its status alone. Three ranks; the last one dies. */
#include "check.h"

#include <setjmp.h>
#include <stdbool.h>

enum { TAG = 7, SENTINEL = 4711, MANY = 20 };

/* ---- handlers ----------------------------------------------------------------------------------------------------------------- */

static int calls, last_class;
static MPI_Comm last_comm;

static void count_call(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    MPI_Error_class(*code, &last_class);
}

/* Nothing else was raised since, on any communicator. */
static void heard_once(MPI_Comm comm, int class)
{
    if (calls != 1 || last_class != class || last_comm != comm)
        fprintf(stderr, "rank %d, at %s: %d calls of handlers, class %d where %d is wanted, %s communicator\n", me, at,
                calls, last_class, class, last_comm == comm ? "right" : "wrong");
    CHECK(calls == 1 && last_class == class && last_comm == comm);
    calls = 0;
}

static void heard_nothing(void)
{
    CHECK(calls == 0);
}

static void listen_on(MPI_Comm comm)
{
    MPI_Errhandler handler;
    OK(MPI_Comm_create_errhandler(count_call, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Errhandler_free(&handler));
}

/* ---- calls that complete several -------------------------------------------------------------------------------------------------- */

static int by_waitall(MPI_Request *request, MPI_Status *status)
{
    return MPI_Waitall(2, request, status);
}
static int by_testall(MPI_Request *request, MPI_Status *status)
{
    int flag = 0, code = MPI_SUCCESS;
    while (!flag && code == MPI_SUCCESS)
        code = MPI_Testall(2, request, &flag, status);
    return code;
}
static int by_waitsome(MPI_Request *request, MPI_Status *status)
{
    int many, indices[2], code = MPI_SUCCESS;
    while (code == MPI_SUCCESS)
        code = MPI_Waitsome(2, request, &many, indices, status);
    return code;
}
static int by_testsome(MPI_Request *request, MPI_Status *status)
{
    int many, indices[2], code = MPI_SUCCESS;
    while (code == MPI_SUCCESS)
        code = MPI_Testsome(2, request, &many, indices, status);
    return code;
}
static int (*const several[])(MPI_Request *request, MPI_Status *status) = {by_waitall, by_testall, by_waitsome,
                                                                           by_testsome};
enum { SEVERAL = sizeof several / sizeof *several };

/* A message that is too long for the second receive. The rest is right, and is waited for. */
static void truncate_several(MPI_Comm comm)
{
    int data[4] = {0}, one, two;
    for (int i = 0; i < 2 * SEVERAL; i++) {
        MPI_Request request[2];
        MPI_Status status[2];
        OK(MPI_Barrier(comm));
        if (me == 0) {
            OK(MPI_Send(data, 1, MPI_INT, 1, TAG, comm));
            OK(MPI_Send(data, 4, MPI_INT, 1, TAG + 1, comm));
        }
        if (me != 1)
            continue;
        OK(MPI_Irecv(&one, 1, MPI_INT, 0, TAG, comm, &request[0]));
        OK(MPI_Irecv(&two, 1, MPI_INT, 0, TAG + 1, comm, &request[1]));
        at = (const char *[]){"MPI_Waitall", "MPI_Testall", "MPI_Waitsome", "MPI_Testsome"}[i % SEVERAL];
        int code = several[i % SEVERAL](request, i < SEVERAL ? status : MPI_STATUSES_IGNORE), class;
        MPI_Error_class(code, &class);
        CHECK(class == MPI_ERR_IN_STATUS);
        heard_once(comm, MPI_ERR_TRUNCATE);
        for (int r = 0; r < 2; r++)
            if (request[r] != MPI_REQUEST_NULL)
                OK(MPI_Wait(&request[r], MPI_STATUS_IGNORE));
    }
}

static void truncate_one(MPI_Comm comm)
{
    int data[4] = {0}, one, index, flag = 0, class, code;
    MPI_Request request;
    for (int i = 0; i < 5; i++) {
        OK(MPI_Barrier(comm));
        if (me == 0)
            OK(MPI_Send(data, 4, MPI_INT, 1, TAG, comm));
        if (me != 1)
            continue;
        at = (const char *[]){"MPI_Wait", "MPI_Test", "MPI_Waitany", "MPI_Testany", "MPI_Recv"}[i];
        if (i < 4)
            OK(MPI_Irecv(&one, 1, MPI_INT, 0, TAG, comm, &request));
        at = (const char *[]){"MPI_Wait", "MPI_Test", "MPI_Waitany", "MPI_Testany", "MPI_Recv"}[i];
        for (code = MPI_SUCCESS, flag = 0; code == MPI_SUCCESS && !flag;)
            code = i == 0   ? MPI_Wait(&request, MPI_STATUS_IGNORE)
                   : i == 1 ? MPI_Test(&request, &flag, MPI_STATUS_IGNORE)
                   : i == 2 ? MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE)
                   : i == 3 ? MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE)
                            : MPI_Recv(&one, 1, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE);
        MPI_Error_class(code, &class);
        CHECK(class == MPI_ERR_TRUNCATE);
        heard_once(comm, MPI_ERR_TRUNCATE);
    }
}

static void die_in_several(MPI_Comm comm)
{
    int one, two;
    MPI_Request request[2];
    MPI_Status status[2];
    for (int i = 0; i < 2 * SEVERAL; i++) {
        OK(MPI_Irecv(&one, 1, MPI_INT, 1 - me, TAG + i, comm, &request[0]));
        OK(MPI_Irecv(&two, 1, MPI_INT, 2, TAG + i, comm, &request[1]));
        at = "several, one from the dead";
        int code = several[i % SEVERAL](request, i < SEVERAL ? status : MPI_STATUSES_IGNORE);
        CHECK(code == MPI_ERR_IN_STATUS);
        heard_once(comm, MPIX_ERR_PROC_FAILED);
        OK(MPI_Send(&me, 1, MPI_INT, 1 - me, TAG + i, comm));
        if (request[0] != MPI_REQUEST_NULL)
            OK(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
        heard_nothing();
    }
}

/* What names no communicator is raised on MPI_COMM_WORLD. */
static void ask_nonsense(void)
{
    MPI_Datatype type;
    int size, class, code = CODE(MPI_Type_contiguous(-1, MPI_INT, &type));
    MPI_Error_class(code, &class);
    CHECK(class != MPI_SUCCESS);
    heard_once(MPI_COMM_WORLD, class);
    code = CODE(MPI_Comm_size(MPI_COMM_NULL, &size));
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_COMM);
    heard_once(MPI_COMM_WORLD, MPI_ERR_COMM);
}

/* ---- handlers that do not come back ----------------------------------------------------------------------------------------------- */

static jmp_buf back;
static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(back, 1);
}

/* A handler that nobody holds any more gives its number back. */
static void leave_handlers(MPI_Comm comm)
{
    MPI_Errhandler handler, next;
    static volatile int left;
    int value;
    OK(MPI_Comm_create_errhandler(jump, &handler));
    MPI_Fint number = MPI_Errhandler_c2f(handler);
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Errhandler_free(&handler));
    left = 0;
    if (setjmp(back) == 0 || left < 10) {
        left++;
        CODE(MPI_Recv(&value, 1, MPI_INT, 2, TAG, comm, MPI_STATUS_IGNORE));
        CHECK(!"the handler came back");
    }
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_create_errhandler(jump, &next));
    CHECK(MPI_Errhandler_c2f(next) == number);
    OK(MPI_Errhandler_free(&next));
}

/* ---- what is begun on a revoked communicator ------------------------------------------------------------------------------------- */

static void ends_revoked(int code, MPI_Request *request)
{
    MPI_Request garbage;
    memset(&garbage, 0x5a, sizeof garbage);
    CHECK(code == MPI_SUCCESS && *request != MPI_REQUEST_NULL && *request != garbage);
    FAILS(MPI_Wait(request, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    CHECK(*request == MPI_REQUEST_NULL);
    memset(request, 0x5a, sizeof *request);
}

static void begin_on_revoked(MPI_Comm comm)
{
    int value = 0, sum;
    char room[1000];
    MPI_Request r;
    MPI_Comm copy;
    OK(MPIX_Comm_revoke(comm));
    OK(MPI_Buffer_attach(room, sizeof room));
    memset(&r, 0x5a, sizeof r);
    ends_revoked(CODE(MPI_Isend(&value, 1, MPI_INT, 0, TAG, comm, &r)), &r);
    ends_revoked(CODE(MPI_Issend(&value, 1, MPI_INT, 0, TAG, comm, &r)), &r);
    ends_revoked(CODE(MPI_Irsend(&value, 1, MPI_INT, 0, TAG, comm, &r)), &r);
    ends_revoked(CODE(MPI_Ibsend(&value, 1, MPI_INT, 0, TAG, comm, &r)), &r);
    ends_revoked(CODE(MPI_Irecv(&value, 1, MPI_INT, 0, TAG, comm, &r)), &r);
    ends_revoked(CODE(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &r)), &r);
    ends_revoked(CODE(MPI_Ibarrier(comm, &r)), &r);
    ends_revoked(CODE(MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &r)), &r);
    ends_revoked(CODE(MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm, &r)), &r);
    ends_revoked(CODE(MPI_Comm_idup(comm, &copy, &r)), &r);
    OK(MPI_Buffer_detach(&(void *){NULL}, &value));
}

static void begin_wrongly(MPI_Comm comm)
{
    int value = 0, class;
    MPI_Request r;
#define WRONG(call, wanted)                                \
    do {                                                   \
        memset(&r, 0x5a, sizeof r);                        \
        int code_ = CODE(call);                            \
        MPI_Error_class(code_, &class);                    \
        CHECK(class == (wanted) && r == MPI_REQUEST_NULL); \
    } while (0)
    WRONG(MPI_Isend(&value, 1, MPI_INT, 99, TAG, comm, &r), MPI_ERR_RANK);
    WRONG(MPI_Isend(&value, 1, MPI_INT, 0, -9, comm, &r), MPI_ERR_TAG);
    WRONG(MPI_Isend(&value, -1, MPI_INT, 0, TAG, comm, &r), MPI_ERR_COUNT);
    WRONG(MPI_Irecv(&value, 1, MPI_INT, 99, TAG, comm, &r), MPI_ERR_RANK);
    WRONG(MPI_Irecv(&value, 1, MPI_INT, 0, TAG, MPI_COMM_NULL, &r), MPI_ERR_COMM);
    WRONG(MPI_Ibcast(&value, 1, MPI_INT, 99, comm, &r), MPI_ERR_ROOT);
    WRONG(MPI_Ibarrier(MPI_COMM_NULL, &r), MPI_ERR_COMM);
    WRONG(MPI_Send_init(&value, 1, MPI_INT, 99, TAG, comm, &r), MPI_ERR_RANK);
    WRONG(MPI_Ssend_init(&value, 1, MPI_INT, 0, -9, comm, &r), MPI_ERR_TAG);
    WRONG(MPI_Bsend_init(&value, -1, MPI_INT, 0, TAG, comm, &r), MPI_ERR_COUNT);
    WRONG(MPI_Rsend_init(&value, 1, MPI_DATATYPE_NULL, 0, TAG, comm, &r), MPI_ERR_TYPE);
    WRONG(MPI_Recv_init(&value, 1, MPI_INT, 99, TAG, comm, &r), MPI_ERR_RANK);
    WRONG(MPI_Recv_init(&value, 1, MPI_INT, 0, TAG, MPI_COMM_NULL, &r), MPI_ERR_COMM);
}

/* ---- the error field -------------------------------------------------------------------------------------------------------------- */

#define UNTOUCHED(call)                      \
    do {                                     \
        status.MPI_ERROR = SENTINEL;         \
        OK(call);                            \
        CHECK(status.MPI_ERROR == SENTINEL); \
    } while (0)

static void complete_singly(MPI_Comm comm, int tag)
{
    int value, index, flag;
    MPI_Status status;
    MPI_Request r;
    MPI_Message message;
    if (me == 0)
        for (int i = 0; i < 9; i++)
            OK(MPI_Send(&i, 1, MPI_INT, 1, TAG, comm));
    if (me != 1)
        return;
    UNTOUCHED(MPI_Recv(&value, 1, MPI_INT, 0, tag, comm, &status));
    OK(MPI_Irecv(&value, 1, MPI_INT, 0, tag, comm, &r));
    UNTOUCHED(MPI_Wait(&r, &status));
    OK(MPI_Irecv(&value, 1, MPI_INT, 0, tag, comm, &r));
    for (flag = 0; !flag;)
        UNTOUCHED(MPI_Test(&r, &flag, &status));
    OK(MPI_Irecv(&value, 1, MPI_INT, 0, tag, comm, &r));
    UNTOUCHED(MPI_Waitany(1, &r, &index, &status));
    OK(MPI_Irecv(&value, 1, MPI_INT, 0, tag, comm, &r));
    for (flag = 0; !flag;)
        UNTOUCHED(MPI_Testany(1, &r, &index, &flag, &status));
    UNTOUCHED(MPI_Probe(0, tag, comm, &status));
    for (flag = 0; !flag;)
        UNTOUCHED(MPI_Iprobe(0, tag, comm, &flag, &status));
    UNTOUCHED(MPI_Mprobe(0, tag, comm, &message, &status));
    UNTOUCHED(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    for (flag = 0; !flag;)
        UNTOUCHED(MPI_Improbe(0, tag, comm, &flag, &message, &status));
    OK(MPI_Imrecv(&value, 1, MPI_INT, &message, &r));
    UNTOUCHED(MPI_Wait(&r, &status));
    UNTOUCHED(MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, 0, tag, comm, &status));
    OK(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &r));
    UNTOUCHED(MPI_Wait(&r, &status));
    OK(MPI_Irecv(&value, 1, MPI_INT, 0, tag, comm, &r));
    UNTOUCHED(MPI_Wait(&r, &status));
    CHECK(value == 8);
}

/* ---- probes ----------------------------------------------------------------------------------------------------------------------- */

static void probe_the_dead(MPI_Comm comm)
{
    int flag;
    MPI_Message message;
    FAILS(MPI_Iprobe(2, TAG, comm, &flag, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Improbe(2, MPI_ANY_TAG, comm, &flag, &message, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Iprobe(MPI_ANY_SOURCE, TAG, comm, &flag, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Probe(2, TAG, comm, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, other, shared[MANY];
    begin(&argc, &argv, 50);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int i = 0; i < MANY; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &shared[i])); /* the last ones share their contexts: the layer matches */
    complete_singly(comm, TAG);
    complete_singly(comm, MPI_ANY_TAG);
    complete_singly(shared[MANY - 1], TAG);
    complete_singly(shared[MANY - 1], MPI_ANY_TAG);
    begin_wrongly(comm);
    begin_wrongly(MPI_COMM_WORLD);
    OK(MPI_Comm_dup(comm, &other));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    begin_on_revoked(other);
    listen_on(MPI_COMM_WORLD);
    listen_on(comm);
    ask_nonsense();
    truncate_several(comm);
    truncate_one(comm);
    truncate_several(MPI_COMM_WORLD);
    truncate_one(MPI_COMM_WORLD);
    meet(comm);
    die_if(me == 2);
    calls = 0;
    CODE(MPI_Recv(&calls, 0, MPI_INT, 2, 32000, comm, MPI_STATUS_IGNORE));
    heard_once(comm, MPIX_ERR_PROC_FAILED);
    die_in_several(comm);
    die_in_several(MPI_COMM_WORLD);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    leave_handlers(comm);
    probe_the_dead(comm);
    leave_handlers(MPI_COMM_WORLD);
    return end();
}
