/* p2p.c: sends and receives (buffered ones: buffered.c). A blocking call is the native nonblocking one and wait_for. */
#include "mpi/p2p/p2p.h"
#include "mpi/base/gen/own.h"
#include "mpi/carried/carried.h"
#include "mpi/error/error.h"
#include "mpi/p2p/stamped.h"

int p2p_no_sender(const struct comm *comm)
{
    return op_check(comm, PEER_NONE) == MPIX_ERR_REVOKED ? MPIX_ERR_REVOKED : MPIX_ERR_PROC_FAILED;
}

/* ---- blocking ------------------------------------------------------------------------------------------------------------- */

static inline int send_now(native_isend *isend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                           struct comm *comm)
{
    struct p2p_end to = p2p_end_of(comm, dest, tag, false);
    if (RARELY(to.code != MPI_SUCCESS))
        return error_raise(comm, to.code);
    struct op op = op_begin(comm, to.peer, REQUEST_SEND);
    MPI_Request request;
    int code = op.code;
    op.tag = to.tag;
    if (LIKELY(code == MPI_SUCCESS))
        code = isend(buf, count, datatype, to.native, to.tag, comm->place.context, &request);
    if (LIKELY(code == MPI_SUCCESS && native_was_complete(request)))
        return code;
    if (LIKELY(code == MPI_SUCCESS))
        code = wait_for(&op, &request, MPI_STATUS_IGNORE);
    else if (op.code == MPI_SUCCESS)
        code = side_confirm_error(to.peer, code);
    return error_raise(comm, code);
}

#define SEND(name, isend)                                                                                 \
    int mpi_##name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm handle) \
    {                                                                                                     \
        struct comm *comm = comm_of(handle);                                                              \
        if (RARELY(!comm))                                                                                \
            return native.name(buf, count, datatype, dest, tag, handle);                                  \
        return send_now(native.isend, buf, count, datatype, dest, tag, comm);                             \
    }
SEND(send, isend)
SEND(ssend, issend)
SEND(rsend, irsend)

/* A receive is posted also when its sender is known dead: what came before the death is there to be received. */
int mpi_recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm handle, MPI_Status *status)
{
    struct comm *comm = comm_of(handle);
    if (RARELY(!comm))
        return native.recv(buf, count, datatype, source, tag, handle, status);
    struct p2p_end from = p2p_end_of(comm, source, tag, true);
    if (RARELY(from.code != MPI_SUCCESS))
        return error_raise(comm, from.code);
    if (RARELY(comm->place.stamp != 0)) {
        int code = stamped_recv(buf, count, datatype, &from, comm, status);
        if (code == MPI_SUCCESS)
            p2p_status(comm, from.peer, status);
        return error_raise(comm, code);
    }
    struct op op = op_begin(comm, from.peer, REQUEST_RECV);
    MPI_Request request;
    int code = op.code == MPIX_ERR_REVOKED ? op.code : MPI_SUCCESS;
    if (LIKELY(code == MPI_SUCCESS))
        code = native.irecv(buf, count, datatype, from.native, from.tag, comm->place.context, &request);
    if (LIKELY(code == MPI_SUCCESS)) {
        code = wait_for(&op, &request, status);
        if (LIKELY(code == MPI_SUCCESS))
            p2p_status(comm, from.peer, status);
    } else if (code != MPIX_ERR_REVOKED) {
        code = side_confirm_error(from.peer, code);
    }
    return error_raise(comm, code);
}

/* ---- nonblocking ---------------------------------------------------------------------------------------------------------- */

/* The native call refused. A death is raised by the completion call, as ULFM has it. */
static int refused(struct comm *comm, int peer, int code, MPI_Request *request)
{
    code = side_confirm_error(peer, code);
    return code == MPIX_ERR_PROC_FAILED ? request_settled(comm, code, NULL, request)
                                        : error_raise_unbegun(comm, code, request);
}

/* A failure and a revoke that are known already are raised by the completion call, too: programs wait for what they began. */
static inline int isend_now(native_isend *isend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                            struct comm *comm, MPI_Request *request)
{
    struct p2p_end to = p2p_end_of(comm, dest, tag, false);
    if (RARELY(to.code != MPI_SUCCESS))
        return error_raise_unbegun(comm, to.code, request);
    struct op op = op_begin(comm, to.peer, REQUEST_SEND);
    if (RARELY(op.code != MPI_SUCCESS))
        return request_settled(comm, op.code, NULL, request);
    int code = isend(buf, count, datatype, to.native, to.tag, comm->place.context, request);
    if (RARELY(code != MPI_SUCCESS))
        return refused(comm, to.peer, code, request);
    carried_show(request);
    if (LIKELY(*request != native_request_complete))
        request_put(*request, REQUEST_SEND, to.peer, comm, to.tag);
    return MPI_SUCCESS;
}

int p2p_isend(native_isend *isend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
              struct comm *comm, MPI_Request *request)
{
    return isend_now(isend, buf, count, datatype, dest, tag, comm, request);
}

#define ISEND(name)                                                                                       \
    int mpi_##name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm handle, \
                   MPI_Request *request)                                                                  \
    {                                                                                                     \
        struct comm *comm = comm_of(handle);                                                              \
        if (RARELY(!comm))                                                                                \
            return native.name(buf, count, datatype, dest, tag, handle, request);                         \
        return isend_now(native.name, buf, count, datatype, dest, tag, comm, request);                    \
    }
ISEND(isend)
ISEND(issend)
ISEND(irsend)

static inline int irecv_now(void *buf, int count, MPI_Datatype datatype, int source, int tag, struct comm *comm,
                            MPI_Request *request)
{
    struct p2p_end from = p2p_end_of(comm, source, tag, true);
    if (RARELY(from.code != MPI_SUCCESS))
        return from.code == MPIX_ERR_PROC_FAILED || from.code == MPIX_ERR_REVOKED
                   ? request_settled(comm, from.code, NULL, request)
                   : error_raise_unbegun(comm, from.code, request);
    if (RARELY(comm_trouble(comm) & COMM_REVOKED))
        return request_settled(comm, MPIX_ERR_REVOKED, NULL, request);
    if (RARELY(comm->place.stamp != 0)) {
        int code = stamped_irecv(buf, count, datatype, &from, comm, request);
        return code == MPI_SUCCESS ? code : refused(comm, from.peer, code, request);
    }
    int code = native.irecv(buf, count, datatype, from.native, from.tag, comm->place.context, request);
    if (RARELY(code != MPI_SUCCESS))
        return refused(comm, from.peer, code, request);
    carried_show(request);
    request_put(*request, REQUEST_RECV, from.peer, comm, 0);
    return MPI_SUCCESS;
}

int p2p_irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, struct comm *comm, MPI_Request *request)
{
    return irecv_now(buf, count, datatype, source, tag, comm, request);
}

int mpi_irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm handle, MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    if (RARELY(!comm))
        return native.irecv(buf, count, datatype, source, tag, handle, request);
    return irecv_now(buf, count, datatype, source, tag, comm, request);
}
