/* both.c: MPI_Sendrecv and MPI_Sendrecv_replace: a receive and a send under way together. */
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/inject/flip.h"
#include "mpi/p2p/stamped.h"
#include "mpi/request/copy.h"

#include <stdlib.h>

struct one_way {
    struct p2p_end end;
    struct op op;
    MPI_Request request;
    bool posted;
    struct pick pick; /* a receive on a stamped communicator: instead of op and request */
};

static void prepare(struct one_way *way, struct comm *comm, int rank, int tag, enum request_kind kind)
{
    way->end = p2p_end_of(comm, rank, tag, kind == REQUEST_RECV);
    way->op = op_begin(comm, way->end.peer, kind);
    way->op.tag = way->end.tag;
    way->posted = false;
}

static int post_receive(struct one_way *in, void *buf, int count, MPI_Datatype type)
{
    if (in->op.comm->place.stamp) {
        in->pick = (struct pick){.op = in->op, .from = in->end, .buffer = buf, .count = count, .type = type};
        pick_post(&in->pick);
        in->posted = true;
        return MPI_SUCCESS;
    }
    int code = native.irecv(buf, count, type, in->end.native, in->end.tag, in->op.comm->place.context, &in->request);
    in->posted = code == MPI_SUCCESS;
    return in->posted ? code : side_confirm_error(in->end.peer, code);
}

/* Never to one who is known dead. */
static int post_send(struct one_way *out, const void *buf, int count, MPI_Datatype type)
{
    if (out->op.code != MPI_SUCCESS)
        return out->op.code;
    int code =
        native.isend(buf, count, type, out->end.native, out->end.tag, out->op.comm->place.context, &out->request);
    out->posted = code == MPI_SUCCESS && !native_was_complete(out->request);
    return code == MPI_SUCCESS ? code : side_confirm_error(out->end.peer, code);
}

static int wait_receive(struct one_way *in, MPI_Status *status)
{
    return in->op.comm->place.stamp ? pick_wait(&in->pick, status) : wait_for(&in->op, &in->request, status);
}

static void give_up_receive(struct one_way *in)
{
    if (!in->op.comm->place.stamp)
        wait_give_up(&in->op, &in->request, MPI_STATUS_IGNORE);
    else if (!pick_withdraw(&in->pick) && in->pick.code == MPI_SUCCESS)
        wait_give_up(&in->pick.op, &in->pick.request, MPI_STATUS_IGNORE);
}

/* Each is waited for. When one fails by a death, the other goes on: its peer lives, and may need it. A revoke releases both. */
static int finish(struct one_way *in, struct one_way *out, int code, MPI_Status *status)
{
    bool futile = code != MPI_SUCCESS && code != MPIX_ERR_PROC_FAILED;
    if (in->posted && futile)
        give_up_receive(in);
    int received = in->posted && !futile ? wait_receive(in, status) : MPI_SUCCESS;
    code = received != MPI_SUCCESS ? received : code;
    int sent = out->posted ? wait_for(&out->op, &out->request, MPI_STATUS_IGNORE) : code;
    return code != MPI_SUCCESS ? code : sent;
}

static int exchange(struct comm *comm, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                    void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Status *status)
{
    struct one_way in, out;
    prepare(&in, comm, source, recvtag, REQUEST_RECV);
    prepare(&out, comm, dest, sendtag, REQUEST_SEND);
    int code = in.end.code != MPI_SUCCESS ? in.end.code : out.end.code;
    if (code == MPI_SUCCESS && out.op.code == MPIX_ERR_REVOKED)
        code = out.op.code;
    if (code != MPI_SUCCESS)
        return code;
    code = post_receive(&in, recvbuf, recvcount, recvtype);
    if (code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED) {
        int refused = post_send(&out, sendbuf, sendcount, sendtype);
        code = code == MPI_SUCCESS ? refused : code;
    }
    code = finish(&in, &out, code, status);
    if (code == MPI_SUCCESS)
        p2p_status(comm, in.end.peer, status);
    return code;
}

int mpi_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm handle, MPI_Status *status)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                               recvtag, handle, status);
    return error_raise(comm, exchange(comm, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                                      source, recvtag, status));
}

/* What is sent is packed first, so that the buffer is free for what comes. */
int mpi_sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                         MPI_Comm handle, MPI_Status *status)
{
    struct comm *comm = comm_of(handle);
    int room = 0, used = 0;
    if (!comm)
        return native.sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle, status);
    int code = count < 0 ? MPI_ERR_COUNT : native.pack_size(count, datatype, context_alone, &room);
    void *packed = code == MPI_SUCCESS ? malloc((size_t)room + 1) : NULL;
    if (code == MPI_SUCCESS)
        code = packed ? copy_pack(buf, count, datatype, packed, room, &used) : MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS)
        flip_packed(packed, used);
    if (code == MPI_SUCCESS)
        code = exchange(comm, packed, used, MPI_PACKED, dest, sendtag, buf, count, datatype, source, recvtag, status);
    free(packed);
    return error_raise(comm, code);
}
