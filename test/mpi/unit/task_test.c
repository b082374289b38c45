/* Tasks behind requests (mpi/request/request.h): who is advanced, when one is over, and who frees it. */
#include "fake.h"
#include "mpi/base/gen/own.h"
#include "mpi/request/kept.h"
#include "mpi/request/request.h"
#include "test.h"

#include <string.h>

enum { PROCESSES = 4, TASKS = 4 };

static struct comm *comm;
static int served;

static bool serve(void)
{
    served++;
    return false;
}

__attribute__((constructor)) static void begin(void)
{
    fake_begin(0, PROCESSES);
    comm = fake_comm(fake_shared(0), 0);
    task_serve_by(serve);
}

/* ---- a task of the test's ----------------------------------------------------------------------------------------------------- */

struct job {
    struct task task;
    int left; /* turns until it is over */
    int code;
    int turns, released, cancelled;
    bool turns_others; /* from its own turn, as a task that waits does */
    MPI_Request request;
};

static int advance(struct task *task, bool *done)
{
    struct job *job = (struct job *)task;
    job->turns++;
    if (job->turns_others)
        task_advance_all();
    *done = --job->left <= 0;
    return *done ? job->code : MPI_SUCCESS;
}

static void release(struct task *task)
{
    ((struct job *)task)->released++;
}

static void fill(const struct task *task, MPI_Status *status)
{
    (void)task;
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 9;
}

static void cancel(struct task *task)
{
    ((struct job *)task)->cancelled++;
}

static void start(struct job *job, int turns, int code)
{
    *job = (struct job){
        .task = {.advance = advance, .release = release, .fill = fill, .cancel = cancel}, .left = turns, .code = code};
    CHECK_EQ_I64(request_token(comm, &job->task, &job->request), MPI_SUCCESS);
}

/* As the calls that complete: the table first, then the MPI below. */
static bool complete(MPI_Request *request, MPI_Status *status)
{
    struct request known;
    int flag = 0;
    if (!CHECK(request_get(*request, &known)))
        return false;
    native.test(request, &flag, status);
    if (!flag)
        return false;
    request_drop(&known);
    known.task->release(known.task);
    return true;
}

/* ---- turns -------------------------------------------------------------------------------------------------------------------- */

TEST(each_task_has_one_turn_until_it_is_over)
{
    struct job job[TASKS];
    MPI_Status status;
    int tasks = atomic_load(&layer_tasks), requests = fake_requests();
    for (int i = 0; i < TASKS; i++)
        start(&job[i], i + 1, MPI_SUCCESS);
    CHECK_EQ_I64(atomic_load(&layer_tasks), tasks + TASKS);
    for (int turn = 1; turn <= TASKS + 1; turn++) {
        task_advance_all();
        for (int i = 0; i < TASKS; i++) {
            CHECK_EQ_I64(job[i].turns, turn < i + 1 ? turn : i + 1);
            CHECK(job[i].task.over == (turn >= i + 1));
        }
    }
    CHECK_EQ_I64(atomic_load(&layer_tasks), tasks);
    for (int i = 0; i < TASKS; i++) {
        CHECK(complete(&job[i].request, &status));
        CHECK_EQ_I64(job[i].released, 1);
    }
    CHECK_EQ_I64(fake_requests(), requests);
}

/* Each place in the list: the others keep their turns. */
TEST(one_that_ends_takes_no_turn_from_the_others)
{
    for (int ends = 0; ends < TASKS; ends++) {
        struct job job[TASKS];
        test_context("number %d ends first", ends);
        for (int i = 0; i < TASKS; i++)
            start(&job[i], i == ends ? 1 : 3, MPI_SUCCESS);
        for (int turn = 0; turn < 3; turn++)
            task_advance_all();
        for (int i = 0; i < TASKS; i++) {
            CHECK_EQ_I64(job[i].turns, i == ends ? 1 : 3);
            CHECK(complete(&job[i].request, MPI_STATUS_IGNORE));
        }
    }
}

TEST(the_end_has_the_code_and_the_status_of_the_task)
{
    struct job job;
    MPI_Status status = {.MPI_SOURCE = -7};
    int flag;
    start(&job, 2, MPI_ERR_OTHER);
    task_advance_all();
    CHECK(!complete(&job.request, &status));
    task_advance_all();
    CHECK(complete(&job.request, &status));
    CHECK_EQ_I64(job.task.code, MPI_ERR_OTHER);
    CHECK_EQ_I64(status.MPI_SOURCE, 3);
    CHECK_EQ_I64(status.MPI_TAG, 9);
    native.test_cancelled(&status, &flag);
    CHECK(!flag);
    CHECK(job.request == MPI_REQUEST_NULL);
}

TEST(no_task_is_advanced_inside_a_task)
{
    struct job job[2];
    start(&job[0], 2, MPI_SUCCESS);
    start(&job[1], 2, MPI_SUCCESS);
    job[0].turns_others = job[1].turns_others = true;
    task_advance_all();
    CHECK_EQ_I64(job[0].turns, 1);
    CHECK_EQ_I64(job[1].turns, 1);
    task_advance_all();
    CHECK(complete(&job[0].request, MPI_STATUS_IGNORE) && complete(&job[1].request, MPI_STATUS_IGNORE));
}

TEST(others_are_served_every_eighth_turn_whether_or_not_there_are_tasks)
{
    served = 0;
    for (int turn = 0; turn < 80; turn++)
        task_advance_all();
    CHECK_EQ_I64(served, 10);
}

/* ---- freed and cancelled requests --------------------------------------------------------------------------------------------- */

TEST(a_detached_task_goes_on_and_is_released_at_its_end)
{
    struct job job;
    struct request known;
    int requests = fake_requests();
    start(&job, 2, MPI_SUCCESS);
    MPI_Request handle = job.request;
    CHECK_EQ_I64(request_detach(&job.request), MPI_SUCCESS);
    CHECK(job.request == MPI_REQUEST_NULL);
    task_advance_all();
    CHECK_EQ_I64(job.released, 0);
    task_advance_all();
    CHECK_EQ_I64(job.turns, 2);
    CHECK_EQ_I64(job.released, 1);
    CHECK(!request_get(handle, &known));
    CHECK_EQ_I64(fake_requests(), requests);
}

TEST(a_task_that_is_over_is_released_when_it_is_detached)
{
    struct job job;
    int requests = fake_requests();
    start(&job, 1, MPI_SUCCESS);
    task_advance_all();
    CHECK_EQ_I64(job.released, 0);
    request_detach(&job.request);
    CHECK_EQ_I64(job.released, 1);
    CHECK_EQ_I64(fake_requests(), requests);
}

TEST(a_native_request_is_freed_when_it_is_detached)
{
    MPI_Request known, unknown;
    struct request entry;
    int references = atomic_load(&comm->references), requests = fake_requests();
    native.isend("", 0, MPI_BYTE, 1, 0, comm->place.context, &known);
    request_put(known, REQUEST_SEND, 1, comm, 0);
    MPI_Request handle = known;
    request_detach(&known);
    CHECK(known == MPI_REQUEST_NULL && !request_get(handle, &entry));
    CHECK_EQ_I64(atomic_load(&comm->references), references);
    native.isend("", 0, MPI_BYTE, 1, 0, comm->place.context, &unknown);
    request_detach(&unknown);
    CHECK(unknown == MPI_REQUEST_NULL);
    CHECK_EQ_I64(fake_requests(), requests);
}

TEST(a_task_hears_of_a_cancel_until_it_is_over)
{
    struct job job;
    start(&job, 1, MPI_SUCCESS);
    native.cancel(&job.request);
    CHECK_EQ_I64(job.cancelled, 1);
    task_advance_all();
    native.cancel(&job.request);
    CHECK_EQ_I64(job.cancelled, 1);
    CHECK(complete(&job.request, MPI_STATUS_IGNORE));
}

TEST(only_a_receive_from_any_source_has_it_as_its_peer)
{
    struct job job = {.task = {.advance = advance, .release = release, .any_source = true}, .left = 1};
    struct request known;
    request_token(comm, &job.task, &job.request);
    REQUIRE(request_get(job.request, &known));
    CHECK_EQ_I64(known.kind, REQUEST_TASK);
    CHECK_EQ_I64(known.peer, PEER_ANY);
    task_advance_all();
    CHECK(complete(&job.request, MPI_STATUS_IGNORE));
    start(&job, 1, MPI_SUCCESS);
    REQUIRE(request_get(job.request, &known));
    CHECK_EQ_I64(known.peer, PEER_ALL);
    task_advance_all();
    CHECK(complete(&job.request, MPI_STATUS_IGNORE));
}

/* ---- settled requests, kept datatypes ------------------------------------------------------------------------------------------ */

TEST(a_settled_request_is_complete_at_once)
{
    MPI_Status known = {.MPI_SOURCE = 2, .MPI_TAG = 5, .MPI_ERROR = 77}, status;
    MPI_Request request[2];
    struct request entry;
    int tasks = atomic_load(&layer_tasks), requests = fake_requests();
    CHECK_EQ_I64(request_settled(comm, MPI_ERR_OTHER, &known, &request[0]), MPI_SUCCESS);
    CHECK_EQ_I64(request_settled(comm, MPI_ERR_RANK, NULL, &request[1]), MPI_SUCCESS);
    CHECK_EQ_I64(atomic_load(&layer_tasks), tasks);
    REQUIRE(request_get(request[0], &entry));
    CHECK(entry.task->over);
    CHECK_EQ_I64(entry.task->code, MPI_ERR_OTHER);
    native.cancel(&request[0]);
    CHECK(complete(&request[0], &status));
    CHECK_EQ_I64(status.MPI_SOURCE, 2);
    CHECK_EQ_I64(status.MPI_TAG, 5);
    CHECK(complete(&request[1], &status));
    CHECK_EQ_I64(status.MPI_SOURCE, MPI_UNDEFINED);
    CHECK_EQ_I64(fake_requests(), requests);
}

TEST(a_settled_request_may_be_freed)
{
    MPI_Request request;
    int references = atomic_load(&comm->references), requests = fake_requests();
    request_settled(comm, MPI_ERR_OTHER, NULL, &request);
    CHECK_EQ_I64(atomic_load(&comm->references), references + 1);
    request_detach(&request);
    CHECK_EQ_I64(atomic_load(&comm->references), references);
    CHECK_EQ_I64(fake_requests(), requests);
}

TEST(datatypes_are_kept_while_collectives_are_under_way)
{
    MPI_Datatype type, other;
    int types = fake_types;
    native.type_dup(MPI_BYTE, &type);
    native.type_dup(MPI_BYTE, &other);
    kept_begin();
    kept_begin();
    mpi_type_free(&type);
    CHECK(type == MPI_DATATYPE_NULL);
    kept_end();
    task_advance_all();
    CHECK_EQ_I64(fake_types, types + 2);
    kept_end();
    task_advance_all();
    CHECK_EQ_I64(fake_types, types + 1);
    mpi_type_free(&other);
    CHECK_EQ_I64(fake_types, types);
}
