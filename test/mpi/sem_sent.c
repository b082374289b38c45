/* sem_sent: a send that nobody received is no success. Sends with one tag to a rank that dies, or on a communicator that is revoked, all
 * fail, by every call that completes them: also those that went when the receiver was asked to take another one of them.
 * What a living rank receives succeeds, whoever died. */
#include "check.h"

enum { SENDS = 4, LARGE = 400000, DOOMED = 2, TAG = 5, WAYS = 6 };

static char message[LARGE];

static void post(int to, MPI_Comm comm, MPI_Request *request)
{
    for (int i = 0; i < SENDS; i++)
        if (i % 2 == 0)
            OK(MPI_Issend(message, 1, MPI_CHAR, to, TAG, comm, &request[i]));
        else
            OK(MPI_Isend(message, LARGE, MPI_CHAR, to, TAG, comm, &request[i]));
}

static void all_failed(const MPI_Status *status, int count, int wanted)
{
    for (int i = 0; i < count; i++)
        CHECK(status[i].MPI_ERROR == wanted);
}

static void fail_one_by_one(int way, MPI_Request *request, int wanted)
{
    int index, flag;
    for (int i = 0; i < SENDS; i++) {
        int code = MPI_SUCCESS;
        flag = 0;
        if (way == 0)
            code = CODE(MPI_Wait(&request[i], MPI_STATUS_IGNORE));
        while (way == 1 && !flag)
            code = CODE(MPI_Test(&request[i], &flag, MPI_STATUS_IGNORE));
        if (way == 2)
            code = CODE(MPI_Waitany(SENDS, request, &index, MPI_STATUS_IGNORE));
        CHECK(code == wanted);
    }
}

static void fail_together(int way, MPI_Request *request, int wanted)
{
    MPI_Status status[SENDS];
    int indices[SENDS], flag = 0, some = 0, code = MPI_SUCCESS;
    if (way == 3)
        FAILS(MPI_Waitall(SENDS, request, status), MPI_ERR_IN_STATUS);
    while (way == 4 && !flag)
        code = CODE(MPI_Testall(SENDS, request, &flag, status));
    CHECK(way != 4 || code == MPI_ERR_IN_STATUS);
    for (int done = 0; way == 5 && done < SENDS; done += some) {
        some = 0;
        FAILS(MPI_Waitsome(SENDS, request, &some, indices, status), MPI_ERR_IN_STATUS);
        all_failed(status, some, wanted);
    }
    if (way < 5)
        all_failed(status, SENDS, wanted);
}

static void fail(int way, MPI_Request *request, int wanted)
{
    if (way < 3)
        fail_one_by_one(way, request, wanted);
    else
        fail_together(way, request, wanted);
    for (int i = 0; i < SENDS; i++)
        CHECK(request[i] == MPI_REQUEST_NULL);
}

/* ---- the receiver lives, and never receives ----------------------------------------------------------------------------------------- */

static void revoked(int way)
{
    MPI_Comm comm;
    MPI_Request request[SENDS];
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (me == 0)
        post(1, comm, request);
    meet(comm);
    if (me == 0) {
        OK(MPIX_Comm_revoke(comm));
        fail(way, request, MPIX_ERR_REVOKED);
    }
    meet(comm); /* the receiver has served the sender meanwhile */
    OK(MPI_Comm_free(&comm));
}

/* ---- the receiver dies ---------------------------------------------------------------------------------------------------------------- */

static MPI_Request to_the_dead[WAYS][SENDS];

/* 0 sends all before, 1 while the other dies. */
static void dying(void)
{
    for (int way = 0; way < WAYS && me == 0; way++)
        post(DOOMED, MPI_COMM_WORLD, to_the_dead[way]);
    meet(MPI_COMM_WORLD);
    die_if(me == DOOMED);
    if (me == 1)
        FAILS(MPI_Ssend(message, 1, MPI_CHAR, DOOMED, TAG, MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED);
    for (int way = 0; way < WAYS && me == 0; way++)
        fail(way, to_the_dead[way], MPIX_ERR_PROC_FAILED);
}

/* The others go on. */
static void living(void)
{
    MPI_Request request[SENDS];
    MPI_Status status[SENDS];
    if (me == 0) {
        post(1, MPI_COMM_WORLD, request);
        OK(MPI_Waitall(SENDS, request, status));
    }
    for (int i = 0; i < SENDS && me == 1; i++)
        OK(MPI_Recv(message, LARGE, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 30);
    for (int way = 0; way < WAYS; way++)
        revoked(way);
    dying();
    living();
    return end();
}
