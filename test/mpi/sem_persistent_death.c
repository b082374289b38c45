/* sem_persistent_death: persistent requests with a peer that dies before a start, between two and during one, and on a communicator that
 * is revoked. A start succeeds, the completion raises, once; the request is inactive then and can be started again or freed. Argument:
 * how many communicators there are before the one that is used, so that its tags carry a stamp. */
#include "check.h"

#include <setjmp.h>
#include <stdbool.h>

enum { TESTER, VICTIM, LIVING };
enum { FROM_DEAD, TO_DEAD, FROM_LIVING, IDLE, KINDS };
enum { TAG_DEAD = 1, TAG_LIVING, TAG_NEVER, TAG_ANY, TAG_GO, TAG_EARLY, TAG_LAST };
enum { WAYS = 8, LARGE = 1 << 20, MOST = 64 };

static MPI_Comm comm;
static int *large, value[KINDS], raised;

static void count_raised(MPI_Comm *where, int *code, ...)
{
    (void)where;
    (void)code;
    raised++;
}

/* ---- what each completion call says of one that failed, one that is pending and one that is inactive ------------------------------ */

static void by_all(MPI_Request *request, int way)
{
    MPI_Status status[KINDS];
    int flag = 0;
    int code = way == 0 ? CODE(MPI_Waitall(KINDS, request, status)) : CODE(MPI_Testall(KINDS, request, &flag, status));
    CHECK(code == MPI_ERR_IN_STATUS && status[FROM_DEAD].MPI_ERROR == MPIX_ERR_PROC_FAILED);
    CHECK(status[TO_DEAD].MPI_ERROR == MPIX_ERR_PROC_FAILED && status[IDLE].MPI_ERROR == MPI_SUCCESS);
    CHECK(status[FROM_LIVING].MPI_ERROR == MPI_ERR_PENDING && raised == 1);
}

static void by_any(MPI_Request *request, int way)
{
    MPI_Status status;
    for (int ended = 0, seen[KINDS] = {0}; ended < 2; ended++) {
        int index = -1, flag = 0, code;
        do {
            code = way == 2 ? CODE(MPI_Waitany(KINDS, request, &index, &status))
                            : CODE(MPI_Testany(KINDS, request, &index, &flag, &status));
        } while (way == 3 && !flag);
        CHECK(code == MPIX_ERR_PROC_FAILED && (index == FROM_DEAD || index == TO_DEAD) && !seen[index]++);
        CHECK(raised == ended + 1);
    }
}

static void by_some(MPI_Request *request, int way)
{
    MPI_Status status[KINDS];
    for (int ended = 0, seen[KINDS] = {0}; ended < 2;) {
        int count = 0, index[KINDS];
        int code = way == 4 ? CODE(MPI_Waitsome(KINDS, request, &count, index, status))
                            : CODE(MPI_Testsome(KINDS, request, &count, index, status));
        if (count == 0)
            continue;
        CHECK(code == MPI_ERR_IN_STATUS && count <= 2);
        for (int i = 0; i < count; i++, ended++) {
            CHECK(index[i] == FROM_DEAD || index[i] == TO_DEAD);
            CHECK(status[i].MPI_ERROR == MPIX_ERR_PROC_FAILED && !seen[index[i]]++);
        }
    }
}

static void by_one(MPI_Request *request, int way)
{
    for (int i = FROM_DEAD; i <= TO_DEAD; i++) {
        int flag = 0, code;
        do
            code = way == 6 ? CODE(MPI_Wait(&request[i], MPI_STATUS_IGNORE))
                            : CODE(MPI_Test(&request[i], &flag, MPI_STATUS_IGNORE));
        while (code == MPI_SUCCESS && way == 7 && !flag);
        CHECK(code == MPIX_ERR_PROC_FAILED && raised == i + 1);
    }
}

static void complete(MPI_Request *request, int way)
{
    MPI_Request before[KINDS];
    memcpy(before, request, sizeof before);
    raised = 0;
    (way < 2 ? by_all : way < 4 ? by_any : way < 6 ? by_some : by_one)(request, way);
    CHECK(memcmp(before, request, sizeof before) == 0);
}

static void check_inactive(MPI_Request *request)
{
    MPI_Status status;
    int flag = 0;
    OK(MPI_Request_get_status(*request, &flag, &status));
    CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE);
    OK(MPI_Wait(request, &status));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE);
}

/* ---- a death ------------------------------------------------------------------------------------------------------------------ */

/* With the dead between two starts: the one of the living is the same operation all the time. */
static void after_death(MPI_Request *request)
{
    MPI_Status status;
    for (int way = 0; way < WAYS; way++) {
        if (way > 0)
            OK(MPI_Startall(2, request));
        complete(request, way);
        check_inactive(&request[FROM_DEAD]);
        check_inactive(&request[TO_DEAD]);
        FAILS(MPI_Start(&request[FROM_LIVING]), MPI_ERR_REQUEST);
    }
    for (int i = 0; i < WAYS; i++) {
        OK(MPI_Send(NULL, 0, MPI_INT, LIVING, TAG_GO, comm));
        OK(MPI_Wait(&request[FROM_LIVING], &status));
        CHECK(value[FROM_LIVING] == i && status.MPI_SOURCE == LIVING && status.MPI_TAG == TAG_LIVING);
        OK(MPI_Start(&request[FROM_LIVING]));
    }
}

static void free_all(MPI_Request *request)
{
    OK(MPI_Startall(2, request));
    for (int i = 0; i < KINDS; i++) {
        OK(MPI_Request_free(&request[i]));
        CHECK(request[i] == MPI_REQUEST_NULL);
    }
}

/* What was there before the death is received after it. */
static void test_death(void)
{
    MPI_Request request[KINDS], early;
    MPI_Status status;
    int first = -1;
    OK(MPI_Recv_init(&value[FROM_DEAD], 1, MPI_INT, VICTIM, TAG_DEAD, comm, &request[FROM_DEAD]));
    OK(MPI_Ssend_init(large, LARGE, MPI_INT, VICTIM, TAG_DEAD, comm, &request[TO_DEAD]));
    OK(MPI_Recv_init(&value[FROM_LIVING], 1, MPI_INT, LIVING, TAG_LIVING, comm, &request[FROM_LIVING]));
    OK(MPI_Recv_init(&value[IDLE], 1, MPI_INT, VICTIM, MPI_ANY_TAG, comm, &request[IDLE]));
    OK(MPI_Recv_init(&first, 1, MPI_INT, VICTIM, TAG_EARLY, comm, &early));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Startall(2, request));
        OK(MPI_Waitall(2, request, (MPI_Status[2]){{0}}));
        CHECK(value[FROM_DEAD] == i);
    }
    OK(MPI_Startall(3, request));
    OK(MPI_Probe(VICTIM, TAG_EARLY, comm, &status));
    OK(MPI_Send(NULL, 0, MPI_INT, VICTIM, TAG_GO, comm));
    after_death(request);
    raised = 0;
    OK(MPI_Start(&early));
    OK(MPI_Wait(&early, &status));
    CHECK(first == 77 && status.MPI_SOURCE == VICTIM && raised == 0);
    OK(MPI_Start(&early));
    FAILS(MPI_Wait(&early, &status), MPIX_ERR_PROC_FAILED);
    OK(MPI_Request_free(&early));
    free_all(request);
}

static void be_victim(void)
{
    int early = 77;
    MPI_Request request[2];
    OK(MPI_Send_init(&value[0], 1, MPI_INT, TESTER, TAG_DEAD, comm, &request[0]));
    OK(MPI_Recv_init(large, LARGE, MPI_INT, TESTER, TAG_DEAD, comm, &request[1]));
    for (value[0] = 0; value[0] < 3; value[0]++) {
        OK(MPI_Startall(2, request));
        OK(MPI_Waitall(2, request, (MPI_Status[2]){{0}}));
    }
    OK(MPI_Send(&early, 1, MPI_INT, TESTER, TAG_EARLY, comm));
    OK(MPI_Recv(NULL, 0, MPI_INT, TESTER, TAG_GO, comm, MPI_STATUS_IGNORE));
    die_if(true);
}

static void serve_living(void)
{
    MPI_Request request;
    int i;
    OK(MPI_Send_init(&i, 1, MPI_INT, TESTER, TAG_LIVING, comm, &request));
    for (i = 0; i < WAYS; i++) {
        OK(MPI_Recv(NULL, 0, MPI_INT, TESTER, TAG_GO, comm, MPI_STATUS_IGNORE));
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    OK(MPI_Request_free(&request));
}

/* ---- from any source ----------------------------------------------------------------------------------------------------------- */

/* Pending it is active; acknowledged, it completes. */
static void test_any_source(int tag)
{
    MPI_Request request;
    MPI_Status status;
    int got = -1, flag = 0, index = -1;
    OK(MPI_Recv_init(&got, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request));
    for (int round = 0; round < 3; round++) {
        MPI_Request before = request;
        OK(MPI_Start(&request));
        if (round == 0) {
            FAILS(MPI_Wait(&request, &status), MPIX_ERR_PROC_FAILED_PENDING);
            FAILS(MPI_Test(&request, &flag, &status), MPIX_ERR_PROC_FAILED_PENDING);
            FAILS(MPI_Waitany(1, &request, &index, &status), MPIX_ERR_PROC_FAILED_PENDING);
            FAILS(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
            CHECK(status.MPI_ERROR == MPIX_ERR_PROC_FAILED_PENDING);
            FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
            OK(MPIX_Comm_failure_ack(comm));
        }
        OK(MPI_Test(&request, &flag, &status));
        CHECK(!flag && request == before);
        OK(MPI_Send(&round, 1, MPI_INT, LIVING, TAG_GO, comm));
        OK(MPI_Wait(&request, &status));
        CHECK(got == round && status.MPI_SOURCE == LIVING && status.MPI_TAG == TAG_ANY && request == before);
    }
    OK(MPI_Request_free(&request));
}

static void serve_any_source(void)
{
    int round = -1;
    for (int i = 0; i < 3; i++) {
        OK(MPI_Recv(&round, 1, MPI_INT, TESTER, TAG_GO, comm, MPI_STATUS_IGNORE));
        OK(MPI_Send(&round, 1, MPI_INT, TESTER, TAG_ANY, comm));
    }
}

/* ---- a handler that does not come back ------------------------------------------------------------------------------------------ */

static jmp_buf back;

static void jump(MPI_Comm *where, int *code, ...)
{
    (void)where;
    longjmp(back, *code);
}

static void test_jump(void)
{
    static MPI_Request request[2], before[2];
    MPI_Errhandler jumps, counts;
    OK(MPI_Comm_get_errhandler(comm, &counts));
    OK(MPI_Comm_create_errhandler(jump, &jumps));
    OK(MPI_Recv_init(value, 1, MPI_INT, VICTIM, TAG_NEVER, comm, &request[0]));
    OK(MPI_Recv_init(value, 1, MPI_INT, LIVING, TAG_NEVER, comm, &request[1]));
    memcpy(before, request, sizeof before);
    OK(MPI_Comm_set_errhandler(comm, jumps));
    for (volatile int way = 0; way < 2; way++) {
        OK(MPI_Start(&request[0]));
        if (way == 0)
            OK(MPI_Start(&request[1]));
        int code = setjmp(back);
        if (code == 0 && way == 0)
            MPI_Waitall(2, request, (MPI_Status[2]){{0}});
        else if (code == 0)
            MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        CHECK(code == MPIX_ERR_PROC_FAILED && memcmp(before, request, sizeof before) == 0);
    }
    OK(MPI_Comm_set_errhandler(comm, counts));
    check_inactive(&request[0]);
    FAILS(MPI_Start(&request[1]), MPI_ERR_REQUEST);
    OK(MPI_Cancel(&request[1]));
    OK(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request[0]));
    OK(MPI_Request_free(&request[1]));
    OK(MPI_Errhandler_free(&jumps));
    OK(MPI_Errhandler_free(&counts));
}

/* ---- a revoke ------------------------------------------------------------------------------------------------------------------- */

/* Two active ones with a living peer, one that is not; then freed, after the communicator. */
static void test_revoke(int peer)
{
    MPI_Request request[4];
    MPI_Status status[3];
    OK(MPI_Recv_init(value, 1, MPI_INT, peer, TAG_NEVER, comm, &request[0]));
    OK(MPI_Ssend_init(large, LARGE, MPI_INT, peer, TAG_LAST, comm, &request[1]));
    OK(MPI_Recv_init(value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request[2]));
    OK(MPI_Send_init(value, 1, MPI_INT, peer, TAG_NEVER, comm, &request[3]));
    OK(MPI_Startall(2, request));
    if (me == TESTER)
        OK(MPIX_Comm_revoke(comm));
    raised = 0;
    FAILS(MPI_Waitall(3, request, status), MPI_ERR_IN_STATUS);
    CHECK(status[0].MPI_ERROR == MPIX_ERR_REVOKED && status[1].MPI_ERROR == MPIX_ERR_REVOKED && raised == 1);
    CHECK(status[2].MPI_ERROR == MPI_SUCCESS);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 4; i++) {
            OK(MPI_Start(&request[i]));
            FAILS(MPI_Wait(&request[i], status), MPIX_ERR_REVOKED);
        }
    CHECK(raised == 13);
    OK(MPI_Startall(2, request));
    OK(MPI_Comm_free(&comm));
    for (int i = 0; i < 4; i++)
        OK(MPI_Request_free(&request[i]));
}

int main(int argc, char **argv)
{
    MPI_Comm before[MOST];
    MPI_Errhandler counts;
    int others = argc > 1 ? atoi(argv[1]) : 0;
    begin(&argc, &argv, 50);
    large = calloc(LARGE, sizeof *large);
    for (int i = 0; i < others; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &before[i]));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_errhandler(count_raised, &counts));
    OK(MPI_Comm_set_errhandler(comm, counts));
    if (me == TESTER)
        test_death();
    else if (me == VICTIM)
        be_victim();
    else
        serve_living();
    if (me == TESTER) {
        test_any_source(TAG_ANY);
        test_jump();
    } else {
        learn_death(comm, VICTIM);
        serve_any_source();
    }
    OK(MPIX_Comm_failure_ack(comm));
    meet(comm);
    test_revoke(me == TESTER ? LIVING : TESTER);
    OK(MPI_Errhandler_free(&counts));
    for (int i = 0; i < others; i++)
        OK(MPI_Comm_free(&before[i]));
    free(large);
    return end();
}
