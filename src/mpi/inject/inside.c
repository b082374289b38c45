/* inside.c: see inside.h. The calls of the MPI below that post a message or a receive are replaced by others that count: who does not ask
 * for it has the MPI's own. What is to and from nobody is no operation, nor is what a thread does for other processes. */
#include "mpi/inject/inside.h"
#include "mpi/inject/ghost.h"
#include "mpi/inject/inject.h"
#include "mpi/native/native.h"
#include "mpi/report/tell.h"

static struct native below;

static _Thread_local struct {
    unsigned posted; /* by the call this thread is in, or was in last */
    enum job_call call;
    struct job_desk_stop stop;
} mine __attribute__((tls_model("initial-exec")));

unsigned inject_posted(void)
{
    return mine.posted;
}

/* ---- a call ---------------------------------------------------------------------------------------------------------------- */

void inside_wait_for(enum job_call call, const struct job_desk_stop *stop)
{
    mine.call = call;
    mine.stop = *stop;
}

void inside_end(void)
{
    if (mine.stop.operation)
        tell_report((struct job_report){.word = JOB_WORD_POSTED,
                                        .value = mine.call,
                                        .peer = (int32_t)mine.stop.function,
                                        .group = mine.stop.count,
                                        .took = (int64_t)mine.stop.operation,
                                        .code = (int32_t)mine.posted});
    mine.stop.operation = 0;
}

/* A call that the program left by longjmp, out of an error handler, ends here. */
void inject_enter(void)
{
    inside_end();
    mine.posted = 0;
}

/* ---- an operation ---------------------------------------------------------------------------------------------------------- */

RARE static void arrive(void)
{
    struct job_desk_stop stop = mine.stop;
    mine.stop.operation = 0;
    inject_inside(mine.call, &stop);
}

/* A process that is in the last agreement of MPI_Finalize becomes no ghost any more. */
static void count_one(void)
{
    if (layer_guard || (atomic_load_explicit(&layer_attention, memory_order_relaxed) & ATTENTION_OFF))
        return;
    mine.posted++;
    if (RARELY(mine.posted == mine.stop.operation) && !ghost_has_left())
        arrive();
}

#define SEND(name)                                                                                       \
    static int name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, \
                    MPI_Request *request)                                                                \
    {                                                                                                    \
        if (dest != MPI_PROC_NULL)                                                                       \
            count_one();                                                                                 \
        return below.name(buf, count, datatype, dest, tag, comm, request);                               \
    }
SEND(isend)
SEND(issend)
SEND(irsend)
SEND(ibsend)

static int irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (source != MPI_PROC_NULL)
        count_one();
    return below.irecv(buf, count, datatype, source, tag, comm, request);
}

static int imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)
{
    if (*message != MPI_MESSAGE_NO_PROC)
        count_one();
    return below.imrecv(buf, count, datatype, message, request);
}

void inside_start(void)
{
    below = native;
    native.isend = isend;
    native.issend = issend;
    native.irsend = irsend;
    native.ibsend = ibsend;
    native.irecv = irecv;
    native.imrecv = imrecv;
    layer_count_by(count_one);
    atomic_fetch_or(&layer_attention, ATTENTION_COUNT);
}
