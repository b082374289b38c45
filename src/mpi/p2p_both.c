/* p2p_both.c: MPI_Sendrecv and MPI_Sendrecv_replace: a receive and a send under way together. */
#include "mpi/error.h"
#include "mpi/gen/own.h"
#include "mpi/p2p.h"

#include <stdlib.h>

struct one_way {
    struct knell__end end;
    struct knell__op op;
    MPI_Request request;
    bool posted;
};

static void prepare(struct one_way *way, struct knell__comm *comm, int rank, int tag, enum knell__request_kind kind)
{
    way->end = knell__end_of(comm, rank, tag, kind == KNELL__REQUEST_RECV);
    way->op = knell__op_begin(comm, way->end.peer, kind);
    way->posted = false;
}

/* Each is waited for; when one fails, the other is given up too: the program cannot tell them apart. */
static int finish(struct one_way *in, struct one_way *out, int code, MPI_Status *status)
{
    if (code == MPI_SUCCESS)
        code = knell__wait(&in->op, &in->request, status);
    else if (in->posted)
        knell__give_up(&in->op, &in->request, MPI_STATUS_IGNORE);
    if (!out->posted)
        return code;
    if (code == MPI_SUCCESS)
        return knell__wait(&out->op, &out->request, MPI_STATUS_IGNORE);
    knell__give_up(&out->op, &out->request, MPI_STATUS_IGNORE);
    return code;
}

static int exchange(struct knell__comm *comm, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                    void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Status *status)
{
    struct one_way in, out;
    prepare(&in, comm, source, recvtag, KNELL__REQUEST_RECV);
    prepare(&out, comm, dest, sendtag, KNELL__REQUEST_SEND);
    int code = in.end.code != MPI_SUCCESS ? in.end.code : out.end.code != MPI_SUCCESS ? out.end.code : out.op.code;
    if (code != MPI_SUCCESS)
        return code;
    code = knell__native.irecv(recvbuf, recvcount, recvtype, in.end.native, in.end.tag, comm->place.context, &in.request);
    if (code != MPI_SUCCESS)
        return code;
    in.posted = true;
    code = knell__native.isend(sendbuf, sendcount, sendtype, out.end.native, out.end.tag, comm->place.context, &out.request);
    out.posted = code == MPI_SUCCESS;
    code = finish(&in, &out, code, status);
    if (code == MPI_SUCCESS)
        knell__status_translate(comm, status);
    return code;
}

int knell__mpi_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                        int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm handle, MPI_Status *status)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                                      recvtag, handle, status);
    return knell__raise(comm, exchange(comm, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                                       recvtag, status));
}

/* What is sent is packed first, so that the buffer is free for what comes. */
int knell__mpi_sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                                MPI_Comm handle, MPI_Status *status)
{
    struct knell__comm *comm = knell__comm_of(handle);
    int room = 0, used = 0;
    if (!comm)
        return knell__native.sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle, status);
    int code = knell__native.pack_size(count, datatype, knell__wire, &room);
    void *packed = code == MPI_SUCCESS ? malloc((size_t)room + 1) : NULL;
    if (code == MPI_SUCCESS)
        code = packed ? knell__native.pack(buf, count, datatype, packed, room, &used, knell__wire) : MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS)
        code = exchange(comm, packed, used, MPI_PACKED, dest, sendtag, buf, count, datatype, source, recvtag, status);
    free(packed);
    return knell__raise(comm, code);
}
