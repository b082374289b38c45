/* sem_complete: every call that completes several requests, with all kinds among them: complete, failed, pending, null, with
 * MPI_PROC_NULL, cancelled, from any source after a death. No status is lost, and what is pending stays. */
#include "check.h"

#include <stdbool.h>

enum { TESTER = 0, VICTIM = 1, LIVING = 2 };
enum { CAME, CAME_FROM_DEAD, FAILED, PENDING, NONE, PROC_NULL, SEND_FAILED, CANCELLED, ANY, KINDS };
enum {
    TAG_CAME = 100,
    TAG_DEAD = 200,
    TAG_NEVER = 300,
    TAG_PENDING = 400,
    TAG_ANY = 500,
    TAG_LATE = 600,
    TAG_GO = 700
};
enum { ROUNDS = 12, LATE_BYTES = 4 << 20 };

static int value[KINDS];

/* ---- one mixture ------------------------------------------------------------------------------------------------------------ */

/* What has been sent is there when it is asked for. */
static void arrive(int from, int tag)
{
    OK(MPI_Probe(from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void receive(int kind, int from, int tag, MPI_Request *request)
{
    value[kind] = -1;
    OK(MPI_Irecv(&value[kind], 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request[kind]));
}

static void cancel(MPI_Request *request)
{
    int over = 0;
    OK(MPI_Cancel(request));
    while (!over)
        OK(MPI_Request_get_status(*request, &over, MPI_STATUS_IGNORE));
}

static void mix(int round, MPI_Request *request)
{
    arrive(LIVING, TAG_CAME + round);
    arrive(VICTIM, TAG_DEAD + round);
    receive(CAME, LIVING, TAG_CAME + round, request);
    receive(CAME_FROM_DEAD, VICTIM, TAG_DEAD + round, request);
    receive(FAILED, VICTIM, TAG_NEVER, request);
    receive(PENDING, LIVING, TAG_PENDING + round, request);
    request[NONE] = MPI_REQUEST_NULL;
    receive(PROC_NULL, MPI_PROC_NULL, 0, request);
    OK(MPI_Isend(&value[SEND_FAILED], 1, MPI_INT, VICTIM, TAG_NEVER, MPI_COMM_WORLD, &request[SEND_FAILED]));
    receive(CANCELLED, LIVING, TAG_NEVER, request);
    cancel(&request[CANCELLED]);
    receive(ANY, MPI_ANY_SOURCE, TAG_ANY + round, request);
}

static void check_code(int kind, int code)
{
    static const int wanted[KINDS] = {[FAILED] = MPIX_ERR_PROC_FAILED,
                                      [PENDING] = MPI_ERR_PENDING,
                                      [SEND_FAILED] = MPIX_ERR_PROC_FAILED,
                                      [ANY] = MPIX_ERR_PROC_FAILED_PENDING};
    if (code != wanted[kind])
        fprintf(stderr, "request %d has the code %d, not %d\n", kind, code, wanted[kind]);
    CHECK(code == wanted[kind]);
}

static void check_status(int kind, int round, const MPI_Status *status)
{
    int count = -1, cancelled = -1;
    if (kind == CAME || kind == CAME_FROM_DEAD) {
        OK(MPI_Get_count(status, MPI_INT, &count));
        CHECK(status->MPI_SOURCE == (kind == CAME ? LIVING : VICTIM) && count == 1);
        CHECK(status->MPI_TAG == (kind == CAME ? TAG_CAME : TAG_DEAD) + round && value[kind] == round);
    }
    if (kind == PROC_NULL || kind == NONE)
        CHECK(status->MPI_SOURCE == (kind == NONE ? MPI_ANY_SOURCE : MPI_PROC_NULL) && status->MPI_TAG == MPI_ANY_TAG);
    if (kind == CANCELLED) {
        OK(MPI_Test_cancelled(status, &cancelled));
        CHECK(cancelled);
    }
}

static void check_requests(const MPI_Request *request)
{
    for (int kind = 0; kind < KINDS; kind++)
        CHECK((request[kind] == MPI_REQUEST_NULL) == (kind != PENDING && kind != ANY));
}

/* ---- the calls ---------------------------------------------------------------------------------------------------------------- */

static void by_all(int round, MPI_Request *request)
{
    MPI_Status status[KINDS];
    int flag = 0;
    if (round % 2)
        FAILS(MPI_Waitall(KINDS, request, status), MPI_ERR_IN_STATUS);
    else
        FAILS(MPI_Testall(KINDS, request, &flag, status), MPI_ERR_IN_STATUS);
    for (int kind = 0; kind < KINDS; kind++) {
        check_code(kind, status[kind].MPI_ERROR);
        check_status(kind, round, &status[kind]);
    }
}

static void by_all_without_statuses(int round, MPI_Request *request)
{
    MPI_Status *volatile none = MPI_STATUSES_IGNORE; /* an address at which compilers take offence */
    int flag = 0;
    if (round % 2)
        FAILS(MPI_Waitall(KINDS, request, none), MPI_ERR_IN_STATUS);
    else
        FAILS(MPI_Testall(KINDS, request, &flag, none), MPI_ERR_IN_STATUS);
    CHECK(value[CAME] == round && value[CAME_FROM_DEAD] == round);
}

/* Six of them end. The one from any source comes up as often as it is asked for. */
static bool ends(int kind, int *ended)
{
    CHECK(kind >= 0 && kind < KINDS && kind != PENDING && kind != NONE);
    *ended += kind != ANY;
    return kind != ANY;
}

static void by_any(int round, MPI_Request *request)
{
    int ended = 0, index, flag = 1, code;
    MPI_Status status;
    while (ended < 6) {
        code = round % 2 ? CODE(MPI_Waitany(KINDS, request, &index, &status))
                         : CODE(MPI_Testany(KINDS, request, &index, &flag, &status));
        if (!flag)
            continue;
        check_code(index, code);
        if (ends(index, &ended) && code == MPI_SUCCESS)
            check_status(index, round, &status);
    }
}

static void by_some(int round, MPI_Request *request, bool statuses)
{
    int ended = 0, count, index[KINDS], seen[KINDS] = {0};
    MPI_Status status[KINDS], *wanted = statuses ? status : MPI_STATUSES_IGNORE;
    while (ended < 6) {
        int code = round % 2 ? CODE(MPI_Waitsome(KINDS, request, &count, index, wanted))
                             : CODE(MPI_Testsome(KINDS, request, &count, index, wanted));
        CHECK(count >= 0 && count <= KINDS && (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS));
        for (int i = 0; i < count; i++) {
            if (ends(index[i], &ended))
                CHECK(!seen[index[i]]++);
            if (!statuses)
                continue;
            check_code(index[i], code == MPI_SUCCESS ? MPI_SUCCESS : status[i].MPI_ERROR);
            check_status(index[i], round, &status[i]);
        }
    }
}

/* What is pending completes when its message comes. */
static void finish(int round, MPI_Request *request)
{
    MPI_Status status;
    check_requests(request);
    OK(MPI_Send(NULL, 0, MPI_INT, LIVING, TAG_GO, MPI_COMM_WORLD));
    OK(MPI_Wait(&request[PENDING], &status));
    CHECK(value[PENDING] == round && status.MPI_SOURCE == LIVING && status.MPI_TAG == TAG_PENDING + round);
}

static void mixtures(MPI_Request any[ROUNDS])
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request[KINDS];
        mix(round, request);
        if (round < 4)
            round < 2 ? by_all(round, request) : by_all_without_statuses(round, request);
        else if (round < 8)
            by_any(round, request);
        else
            by_some(round, request, round < 10);
        finish(round, request);
        any[round] = request[ANY];
    }
}

/* After the acknowledgement the same requests complete. */
static void acknowledge(MPI_Request any[ROUNDS])
{
    MPI_Status status[ROUNDS];
    OK(MPIX_Comm_failure_ack(MPI_COMM_WORLD));
    OK(MPI_Send(NULL, 0, MPI_INT, LIVING, TAG_GO, MPI_COMM_WORLD));
    OK(MPI_Waitall(ROUNDS, any, status));
    for (int round = 0; round < ROUNDS; round++)
        CHECK(status[round].MPI_SOURCE == LIVING && status[round].MPI_TAG == TAG_ANY + round);
}

/* ---- complete at the last moment ------------------------------------------------------------------------------------------------ */

/* The large message of a ghost comes though it is dead: while the receive is given up. MPI_Testall says nothing of it as long as
 * the other request is pending, and everything in the end. */
static void late(void)
{
    char *large = malloc(LATE_BYTES);
    int small = 0, flag = 0, code, count;
    MPI_Request request[2];
    MPI_Status status[2];
    CHECK(large);
    OK(MPI_Irecv(large, LATE_BYTES, MPI_CHAR, VICTIM, TAG_LATE, MPI_COMM_WORLD, &request[0]));
    OK(MPI_Irecv(&small, 1, MPI_INT, LIVING, TAG_LATE, MPI_COMM_WORLD, &request[1]));
    code = CODE(MPI_Testall(2, request, &flag, status));
    OK(MPI_Send(NULL, 0, MPI_INT, LIVING, TAG_GO, MPI_COMM_WORLD));
    while (!flag && code == MPI_SUCCESS)
        code = CODE(MPI_Testall(2, request, &flag, status));
    if (code == MPI_SUCCESS) {
        OK(MPI_Get_count(&status[0], MPI_CHAR, &count));
        CHECK(status[0].MPI_SOURCE == VICTIM && status[0].MPI_TAG == TAG_LATE && count == LATE_BYTES);
        CHECK(large[0] == 7 && large[LATE_BYTES - 1] == 7);
    } else {
        CHECK(code == MPI_ERR_IN_STATUS && status[0].MPI_ERROR == MPIX_ERR_PROC_FAILED);
        OK(MPI_Wait(&request[1], &status[1]));
    }
    CHECK(status[1].MPI_SOURCE == LIVING && small == 1);
    free(large);
}

/* ---- errors that are no death --------------------------------------------------------------------------------------------------- */

/* A message that is too long is an error of one request; a collective beside it goes on. */
static void truncated(MPI_Comm comm)
{
    int two[2] = {1, 2}, flag = 0, code = MPI_SUCCESS, class = -1;
    MPI_Request request[2];
    MPI_Status status[2];
    if (me == TESTER) {
        OK(MPI_Irecv(two, 1, MPI_INT, 1, 1, comm, &request[0]));
        OK(MPI_Ibarrier(comm, &request[1]));
        for (int i = 0; i < 1000 && code == MPI_SUCCESS; i++)
            code = CODE(MPI_Testall(2, request, &flag, status));
        OK(MPI_Send(NULL, 0, MPI_INT, 1, TAG_GO, comm));
        while (code == MPI_SUCCESS)
            code = CODE(MPI_Testall(2, request, &flag, status));
        OK(MPI_Error_class(status[0].MPI_ERROR, &class));
        CHECK(code == MPI_ERR_IN_STATUS && class == MPI_ERR_TRUNCATE);
        CHECK(request[1] == MPI_REQUEST_NULL || status[1].MPI_ERROR == MPI_ERR_PENDING);
        OK(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Send(two, 2, MPI_INT, TESTER, 1, comm));
        OK(MPI_Recv(NULL, 0, MPI_INT, TESTER, TAG_GO, comm, MPI_STATUS_IGNORE));
        OK(MPI_Barrier(comm));
    }
}

/* ---- nobody ------------------------------------------------------------------------------------------------------------------- */

static void check_nobody(const MPI_Status *status)
{
    int count = -1;
    OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK(status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG && count == 0);
}

static void from_nobody(MPI_Comm comm)
{
    int none = MPI_PROC_NULL, unused = 0;
    MPI_Request request;
    MPI_Status status;
    OK(MPI_Recv(&unused, 1, MPI_INT, none, 1, comm, &status));
    check_nobody(&status);
    OK(MPI_Sendrecv(&unused, 1, MPI_INT, none, 1, &unused, 1, MPI_INT, none, 1, comm, &status));
    check_nobody(&status);
    OK(MPI_Irecv(&unused, 1, MPI_INT, none, 1, comm, &request));
    OK(MPI_Wait(&request, &status));
    check_nobody(&status);
    OK(MPI_Probe(none, 1, comm, &status));
    check_nobody(&status);
}

/* ---- the others' part ------------------------------------------------------------------------------------------------------------ */

static void await_go(void)
{
    OK(MPI_Recv(NULL, 0, MPI_INT, TESTER, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void serve(void)
{
    int one = 1;
    for (int round = 0; round < ROUNDS; round++) {
        await_go();
        OK(MPI_Send(&round, 1, MPI_INT, TESTER, TAG_PENDING + round, MPI_COMM_WORLD));
    }
    await_go();
    for (int round = 0; round < ROUNDS; round++)
        OK(MPI_Send(&round, 1, MPI_INT, TESTER, TAG_ANY + round, MPI_COMM_WORLD));
    await_go();
    OK(MPI_Send(&one, 1, MPI_INT, TESTER, TAG_LATE, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    MPI_Request any[ROUNDS], large;
    static char bytes[LATE_BYTES];
    begin(&argc, &argv, 40);
    for (int round = 0; me != TESTER && round < ROUNDS; round++)
        OK(MPI_Send(&round, 1, MPI_INT, TESTER, (me == LIVING ? TAG_CAME : TAG_DEAD) + round, MPI_COMM_WORLD));
    meet(MPI_COMM_WORLD);
    if (me == VICTIM) {
        memset(bytes, 7, LATE_BYTES);
        OK(MPI_Isend(bytes, LATE_BYTES, MPI_CHAR, TESTER, TAG_LATE, MPI_COMM_WORLD, &large));
    }
    die_if(me == VICTIM);
    learn_death(MPI_COMM_WORLD, VICTIM);
    if (me == TESTER) {
        mixtures(any);
        acknowledge(any);
        late();
    } else {
        serve();
    }
    MPI_Comm living = shrunk(MPI_COMM_WORLD);
    from_nobody(MPI_COMM_WORLD);
    from_nobody(living);
    truncated(living);
    return end();
}
