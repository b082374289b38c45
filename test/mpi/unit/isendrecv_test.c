/* MPI_Isendrecv_replace (mpi/complete/isendrecv.c) whose receive the MPI below refuses when its send is under way: what is sent is a copy,
 * which must live as long as the send. */
#include "fake.h"
#include "mpi/base/gen/own.h"
#include "mpi/request/request.h"
#include "test.h"

#if MPI_VERSION >= 4
#include <string.h>

enum { PROCESSES = 4 };

static struct comm *comm;
static const void *sent_from;
static int (*isend_below)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int isend(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm context, MPI_Request *handle)
{
    sent_from = buf;
    return isend_below(buf, count, type, to, tag, context, handle);
}

static int pack_size(int count, MPI_Datatype type, MPI_Comm context, int *size)
{
    (void)type;
    (void)context;
    *size = count;
    return MPI_SUCCESS;
}

static int pack(const void *from, int count, MPI_Datatype type, void *into, int room, int *at, MPI_Comm context)
{
    (void)type;
    (void)context;
    CHECK(*at + count <= room);
    memcpy((char *)into + *at, from, (size_t)count);
    *at += count;
    return MPI_SUCCESS;
}

__attribute__((constructor)) static void begin(void)
{
    fake_begin(0, PROCESSES);
    comm = fake_comm(fake_shared(0) - 1, 0); /* without a stamp */
    isend_below = native.isend;
    native.isend = isend;
    native.pack_size = pack_size;
    native.pack = pack;
}

TEST(a_send_whose_receive_is_refused_keeps_its_data)
{
    char buffer[] = "what is sent";
    MPI_Request request = FAKE_HANDLE(MPI_Request, 1);
    int requests = fake_requests(), tasks = atomic_load(&layer_tasks);
    fake_stalls = true;
    fake_refuses = 1;
    CHECK_EQ_I64(mpi_isendrecv_replace(buffer, sizeof buffer, MPI_BYTE, 1, 5, 2, 6, comm->handle, &request),
                 MPI_ERR_ARG);
    CHECK(request == MPI_REQUEST_NULL);
    memset(buffer, 0, sizeof buffer);
    for (int turn = 0; turn < 5; turn++)
        task_advance_all();
    CHECK_EQ_I64(atomic_load(&layer_tasks), tasks + 1); /* it waits for the send, */
    CHECK(sent_from != buffer && memcmp(sent_from, "what is sent", sizeof buffer) == 0);
    fake_stalls = false;
    task_advance_all();
    CHECK_EQ_I64(atomic_load(&layer_tasks), tasks); /* and then it goes */
    CHECK_EQ_I64(fake_requests(), requests);
}

TEST(a_send_to_nobody_leaves_nothing)
{
    char buffer[] = "to nobody";
    MPI_Request request;
    int requests = fake_requests(), tasks = atomic_load(&layer_tasks);
    fake_refuses = 1;
    CHECK_EQ_I64(mpi_isendrecv_replace(buffer, sizeof buffer, MPI_BYTE, MPI_PROC_NULL, 5, 2, 6, comm->handle, &request),
                 MPI_ERR_ARG);
    task_advance_all();
    CHECK_EQ_I64(atomic_load(&layer_tasks), tasks);
    CHECK_EQ_I64(fake_requests(), requests);
}
#else
TEST(this_mpi_has_no_isendrecv)
{
}
#endif
