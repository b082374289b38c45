/* isendrecv.c: MPI_Isendrecv and MPI_Isendrecv_replace of MPI 4: a receive and a send behind one request. Each half is a nonblocking
 * operation as any other; a task completes them. As in MPI_Sendrecv, when one fails by a death the other goes on: its peer lives, and
 * may need it. */
#include "mpi/base/gen/own.h"
#include "mpi/complete/complete.h"

#if MPI_VERSION >= 4
#include "mpi/inject/flip.h"
#include "mpi/p2p/p2p.h"
#include "mpi/request/copy.h"

#include <stdlib.h>

struct both {
    struct task task;
    MPI_Request in, out;
    bool in_done, out_done;
    int in_code, out_code;
    MPI_Status status; /* of the receive */
    void *packed;      /* what is sent; NULL: the program's buffer */
};

/* True: it is complete, or has failed. A receive from any source stays: who waits is told so by the table. */
static bool half_done(MPI_Request *half, MPI_Status *status, int *code)
{
    struct request known;
    int flag = 0;
    bool ours = *half != MPI_REQUEST_NULL && request_get(*half, &known);
    int trouble = ours ? complete_trouble(&known) : MPI_SUCCESS;
    *code = native.test(half, &flag, status);
    if (!flag && *code == MPI_SUCCESS) {
        if (trouble == MPI_SUCCESS || trouble == MPIX_ERR_PROC_FAILED_PENDING)
            return false;
        *code = complete_give_up(&known, trouble, half, status) ? MPI_SUCCESS : trouble;
    }
    if (ours)
        complete_finish(&known, status, code);
    return true;
}

static int advance(struct task *task, bool *done)
{
    struct both *both = (struct both *)task;
    if (!both->out_done)
        both->out_done = half_done(&both->out, MPI_STATUS_IGNORE, &both->out_code);
    if (!both->in_done)
        both->in_done = half_done(&both->in, &both->status, &both->in_code);
    *done = both->in_done && both->out_done;
    return both->in_code != MPI_SUCCESS ? both->in_code : both->out_code;
}

static void fill(const struct task *task, MPI_Status *status)
{
    const struct both *both = (const struct both *)task;
    if (both->in_code != MPI_SUCCESS)
        return;
    *status = both->status;
    status->MPI_ERROR = MPI_SUCCESS; /* of the query */
}

static void release(struct task *task)
{
    struct both *both = (struct both *)task;
    free(both->packed);
    free(both);
}

static struct both *prepare(struct comm *comm, int dest, int sendtag, int source, int recvtag, int *code)
{
    struct p2p_end to = p2p_end_of(comm, dest, sendtag, false), from = p2p_end_of(comm, source, recvtag, true);
    *code = to.code != MPI_SUCCESS ? to.code : from.code;
    struct both *both = *code == MPI_SUCCESS ? calloc(1, sizeof *both) : NULL;
    if (!both) {
        *code = *code == MPI_SUCCESS ? MPI_ERR_NO_MEM : *code;
        return NULL;
    }
    both->task =
        (struct task){.advance = advance, .release = release, .fill = fill, .any_source = from.peer == PEER_ANY};
    return both;
}

/* Both are posted: one request for them. */
static int join(struct both *both, struct comm *comm, MPI_Request *request)
{
    int code = request_token(comm, &both->task, request);
    if (code == MPI_SUCCESS)
        return code;
    request_detach(&both->in);
    request_detach(&both->out);
    return error_raise_unbegun(comm, code, request);
}

/* The send goes on without the receive. What it sends is the task's until it is over; without a task it stays for ever. */
static void leave_send(struct both *both, struct comm *comm)
{
    MPI_Request left;
    both->in_done = true;
    if (request_token(comm, &both->task, &left) == MPI_SUCCESS)
        request_detach(&left);
}

/* The send first: if its arguments are wrong, nothing has been posted. */
static int begin(struct both *both, struct comm *comm, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                 int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Request *request)
{
    int code = p2p_isend(native.isend, sendbuf, sendcount, sendtype, dest, sendtag, comm, &both->out);
    *request = MPI_REQUEST_NULL;
    if (code != MPI_SUCCESS) {
        release(&both->task);
        return code;
    }
    code = p2p_irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, &both->in);
    if (code == MPI_SUCCESS)
        return join(both, comm, request);
    leave_send(both, comm);
    return code;
}

int mpi_isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm handle, MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    int code;
    if (!comm)
        return native.isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                                recvtag, handle, request);
    struct both *both = prepare(comm, dest, sendtag, source, recvtag, &code);
    if (!both)
        return error_raise_unbegun(comm, code, request);
    return begin(both, comm, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                 request);
}

/* What is sent is packed first, so that the buffer is free for what comes. */
static int pack(struct both *both, const void *buf, int count, MPI_Datatype datatype, int *used)
{
    int room = 0, code = count < 0 ? MPI_ERR_COUNT : native.pack_size(count, datatype, context_alone, &room);
    if (code != MPI_SUCCESS)
        return code;
    both->packed = malloc((size_t)room + 1);
    code = both->packed ? copy_pack(buf, count, datatype, both->packed, room, used) : MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS)
        flip_packed(both->packed, *used);
    return code;
}

int mpi_isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                          MPI_Comm handle, MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    int used = 0, code;
    if (!comm)
        return native.isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle, request);
    struct both *both = prepare(comm, dest, sendtag, source, recvtag, &code);
    if (both && (code = pack(both, buf, count, datatype, &used)) != MPI_SUCCESS)
        release(&both->task);
    if (!both || code != MPI_SUCCESS)
        return error_raise_unbegun(comm, code, request);
    return begin(both, comm, both->packed, used, MPI_PACKED, dest, sendtag, buf, count, datatype, source, recvtag,
                 request);
}
#endif
