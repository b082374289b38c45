/* p2p.c: sends and receives (buffered ones: buffered.c). A blocking call is the native nonblocking one and knell__wait. */
#include "mpi/p2p/p2p.h"
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/p2p/stamped.h"

typedef int native_isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                         MPI_Request *request);

/* ---- blocking ------------------------------------------------------------------------------------------------------------- */

static inline int send_now(native_isend *isend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                           struct knell__comm *comm)
{
    struct knell__end to = knell__end_of(comm, dest, tag, false);
    if (KNELL__RARELY(to.code != MPI_SUCCESS))
        return knell__raise(comm, to.code);
    struct knell__op op = knell__op_begin(comm, to.peer, KNELL__REQUEST_SEND);
    MPI_Request request;
    int code = op.code;
    op.tag = to.tag;
    if (KNELL__LIKELY(code == MPI_SUCCESS))
        code = isend(buf, count, datatype, to.native, to.tag, comm->place.context, &request);
    if (KNELL__LIKELY(code == MPI_SUCCESS && knell__request_was_complete(request)))
        return code;
    if (KNELL__LIKELY(code == MPI_SUCCESS))
        code = knell__wait(&op, &request, MPI_STATUS_IGNORE);
    else if (op.code == MPI_SUCCESS)
        code = knell__error_confirm(to.peer, code);
    return knell__raise(comm, code);
}

#define SEND(name, isend)                                                                                        \
    int knell__mpi_##name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm handle) \
    {                                                                                                            \
        struct knell__comm *comm = knell__comm_of(handle);                                                       \
        if (KNELL__RARELY(!comm))                                                                                \
            return knell__native.name(buf, count, datatype, dest, tag, handle);                                  \
        return send_now(knell__native.isend, buf, count, datatype, dest, tag, comm);                             \
    }
SEND(send, isend)
SEND(ssend, issend)
SEND(rsend, irsend)

/* A receive is posted also when its sender is known dead: what came before the death is there to be received. */
int knell__mpi_recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm handle,
                    MPI_Status *status)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (KNELL__RARELY(!comm))
        return knell__native.recv(buf, count, datatype, source, tag, handle, status);
    struct knell__end from = knell__end_of(comm, source, tag, true);
    if (KNELL__RARELY(from.code != MPI_SUCCESS))
        return knell__raise(comm, from.code);
    if (KNELL__RARELY(comm->place.stamp != 0)) {
        int code = knell__stamped_recv(buf, count, datatype, &from, comm, status);
        if (code == MPI_SUCCESS)
            knell__status_translate(comm, from.peer, status);
        return knell__raise(comm, code);
    }
    struct knell__op op = knell__op_begin(comm, from.peer, KNELL__REQUEST_RECV);
    MPI_Request request;
    int code = op.code == MPIX_ERR_REVOKED ? op.code : MPI_SUCCESS;
    if (KNELL__LIKELY(code == MPI_SUCCESS))
        code = knell__native.irecv(buf, count, datatype, from.native, from.tag, comm->place.context, &request);
    if (KNELL__LIKELY(code == MPI_SUCCESS)) {
        code = knell__wait(&op, &request, status);
        if (KNELL__LIKELY(code == MPI_SUCCESS))
            knell__status_translate(comm, from.peer, status);
    } else if (code != MPIX_ERR_REVOKED) {
        code = knell__error_confirm(from.peer, code);
    }
    return knell__raise(comm, code);
}

/* ---- nonblocking ---------------------------------------------------------------------------------------------------------- */

/* The native call refused. A death is raised by the completion call, as ULFM has it. */
static int refused(struct knell__comm *comm, int peer, int code, MPI_Request *request)
{
    code = knell__error_confirm(peer, code);
    return code == MPIX_ERR_PROC_FAILED ? knell__request_settled(comm, code, NULL, request)
                                        : knell__raise_unbegun(comm, code, request);
}

/* A failure and a revoke that are known already are raised by the completion call, too: programs wait for what they began. */
static inline int isend_now(native_isend *isend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                            struct knell__comm *comm, MPI_Request *request)
{
    struct knell__end to = knell__end_of(comm, dest, tag, false);
    if (KNELL__RARELY(to.code != MPI_SUCCESS))
        return knell__raise_unbegun(comm, to.code, request);
    struct knell__op op = knell__op_begin(comm, to.peer, KNELL__REQUEST_SEND);
    if (KNELL__RARELY(op.code != MPI_SUCCESS))
        return knell__request_settled(comm, op.code, NULL, request);
    int code = isend(buf, count, datatype, to.native, to.tag, comm->place.context, request);
    if (KNELL__RARELY(code != MPI_SUCCESS))
        return refused(comm, to.peer, code, request);
    if (KNELL__LIKELY(*request != knell__request_complete))
        knell__request_put(*request, KNELL__REQUEST_SEND, to.peer, comm, to.tag);
    return MPI_SUCCESS;
}

#define ISEND(name)                                                                                              \
    int knell__mpi_##name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm handle, \
                          MPI_Request *request)                                                                  \
    {                                                                                                            \
        struct knell__comm *comm = knell__comm_of(handle);                                                       \
        if (KNELL__RARELY(!comm))                                                                                \
            return knell__native.name(buf, count, datatype, dest, tag, handle, request);                         \
        return isend_now(knell__native.name, buf, count, datatype, dest, tag, comm, request);                    \
    }
ISEND(isend)
ISEND(issend)
ISEND(irsend)

int knell__mpi_irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm handle,
                     MPI_Request *request)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (KNELL__RARELY(!comm))
        return knell__native.irecv(buf, count, datatype, source, tag, handle, request);
    struct knell__end from = knell__end_of(comm, source, tag, true);
    if (KNELL__RARELY(from.code != MPI_SUCCESS))
        return knell__raise_unbegun(comm, from.code, request);
    if (KNELL__RARELY(knell__trouble(comm) & KNELL__REVOKED))
        return knell__request_settled(comm, MPIX_ERR_REVOKED, NULL, request);
    if (KNELL__RARELY(comm->place.stamp != 0)) {
        int code = knell__stamped_irecv(buf, count, datatype, &from, comm, request);
        return code == MPI_SUCCESS ? code : refused(comm, from.peer, code, request);
    }
    int code = knell__native.irecv(buf, count, datatype, from.native, from.tag, comm->place.context, request);
    if (KNELL__RARELY(code != MPI_SUCCESS))
        return refused(comm, from.peer, code, request);
    knell__request_put(*request, KNELL__REQUEST_RECV, from.peer, comm, 0);
    return MPI_SUCCESS;
}
