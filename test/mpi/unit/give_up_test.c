/* A blocking send that is given up while it waits (mpi/wait/wait.h): its receiver is asked to take it, until the MPI lets go of it. */
#include "mpi/abandon/notice.h"
#include "mpi/request/request.h"
#include "receive.h"
#include "test.h"

#include <string.h>

enum { PROCESSES = 8, TAG = 9 };

__attribute__((constructor)) static void begin(void)
{
    fake_begin(0, PROCESSES);
}

/* What happens while the program is inside of MPI_Send: a task sees every turn of its waiting. */
struct events {
    struct task task;
    struct comm *comm;
    int turns, revoke_at, die_at, take_at;
    int lasted; /* turns that MPI_Send took */
};

static int happen(struct task *task, bool *done)
{
    struct events *events = (struct events *)task;
    int turn = ++events->turns;
    if (turn == events->revoke_at)
        fake_revoke(events->comm->id);
    if (turn == events->die_at)
        fake_die(3);
    if (turn == events->take_at)
        fake_stalls = false; /* the receiver has taken it */
    *done = turn == 1000;
    return MPI_SUCCESS;
}

static void forget(struct task *task)
{
    (void)task;
}

static int send_during(struct events *events)
{
    MPI_Request request;
    events->task = (struct task){.advance = happen, .release = forget};
    fake_sent_forget();
    request_token(&comm_self, &events->task, &request);
    fake_stalls = true;
    int code = mpi_send("hello", 6, MPI_BYTE, 3, TAG, events->comm->handle);
    events->lasted = events->turns;
    fake_stalls = false;
    for (int i = 0; i < 1000; i++)
        task_advance_all();
    CHECK_EQ_I64(mpi_wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    return code;
}

static int sent_kind(int number)
{
    struct notice notice;
    memcpy(&notice, fake_sent[number].bytes, sizeof notice);
    return fake_sent[number].tag == context_notices_tag() ? notice.kind : -1;
}

TEST(a_send_that_takes_its_time_succeeds)
{
    struct events events = {.comm = fake_comm(5, 0), .take_at = 50};
    CHECK_EQ_I64(send_during(&events), MPI_SUCCESS);
    CHECK_EQ_I64(fake_sents, 1);
    receive_comm_free(events.comm);
}

TEST(a_send_on_a_revoked_communicator_is_taken_at_its_senders_wish)
{
    struct events events = {.comm = fake_comm(5, 0), .revoke_at = 10, .take_at = 300};
    CHECK_EQ_I64(send_during(&events), MPIX_ERR_REVOKED);
    CHECK(events.lasted >= 300); /* not before the buffer is free */
    CHECK_EQ_I64(fake_sents, 3);
    CHECK_EQ_I64(fake_sent[0].tag, TAG);
    CHECK_EQ_I64(sent_kind(1), NOTICE_TAKE);
    CHECK_EQ_I64(sent_kind(2), NOTICE_TAKEN);
    CHECK(fake_sent[1].to == 3 && fake_sent[2].to == 3);
    receive_comm_free(events.comm);
}

/* Last: from here on 3 is dead. */
TEST(a_send_to_a_process_that_dies_is_let_go_of)
{
    struct events events = {.comm = fake_comm(5, 1), .die_at = 10};
    CHECK_EQ_I64(send_during(&events), MPIX_ERR_PROC_FAILED);
    CHECK_EQ_I64(fake_sents, 1); /* nobody is asked */
    CHECK_EQ_I64(mpi_send("hello", 6, MPI_BYTE, 3, TAG, events.comm->handle), MPIX_ERR_PROC_FAILED);
    CHECK_EQ_I64(fake_sents, 1);
    receive_comm_free(events.comm);
    CHECK_EQ_I64(fake_requests(), 0);
}
