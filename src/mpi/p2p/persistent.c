/* persistent.c: MPI_Send_init, MPI_Recv_init and their kin (request/persistent.h): each start is a nonblocking call with the arguments
 * that were given once. */
#include "mpi/request/persistent.h"
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/inject/flip.h"
#include "mpi/p2p/buffered.h"
#include "mpi/p2p/p2p.h"
#include "mpi/request/kept.h"

#include <stdlib.h>

/* The program's arguments. The datatype may be freed before the request: this one has its own. */
struct one_way {
    struct persistent base;
    native_isend *isend;
    void *buffer;
    int count;
    MPI_Datatype type;
    bool own_type;
    int rank, tag;
};

/* ---- starting --------------------------------------------------------------------------------------------------------------- */

/* A scenario may want wrong bits in what is sent. */
static int start_send(struct persistent *base)
{
    struct one_way *way = (struct one_way *)base;
    const void *buffer = flip_payload(way->buffer, way->count, way->type);
    int code = p2p_isend(way->isend, buffer, way->count, way->type, way->rank, way->tag, base->comm, &base->active);
    flip_sent(code == MPI_SUCCESS ? &base->active : NULL);
    return code;
}

static int start_bsend(struct persistent *base)
{
    struct one_way *way = (struct one_way *)base;
    const void *buffer = flip_payload(way->buffer, way->count, way->type);
    int code = buffered_ibsend(buffer, way->count, way->type, way->rank, way->tag, base->comm, &base->active);
    flip_sent(NULL);
    return code;
}

static int start_recv(struct persistent *base)
{
    struct one_way *way = (struct one_way *)base;
    return p2p_irecv(way->buffer, way->count, way->type, way->rank, way->tag, base->comm, &base->active);
}

/* ---- making ----------------------------------------------------------------------------------------------------------------- */

static void release(struct persistent *base)
{
    struct one_way *way = (struct one_way *)base;
    if (way->own_type)
        native.type_free(&way->type);
    free(way);
}

static int keep_type(struct one_way *way)
{
    way->own_type = kept_can_be_freed(way->type);
    return way->own_type ? native.type_dup(way->type, &way->type) : MPI_SUCCESS;
}

/* The handle, from the native call: it says what is wrong with the arguments. */
static int make_handle(const struct one_way *way, const struct comm *comm, MPI_Request *handle)
{
    bool receives = !way->isend;
    struct p2p_end end = p2p_end_of(comm, way->rank, way->tag, receives);
    if (end.code != MPI_SUCCESS)
        return end.code;
    int peer = end.native == MPI_PROC_NULL ? MPI_PROC_NULL : 0; /* it is never started */
    return receives ? native.recv_init(way->buffer, way->count, way->type, peer, 0, context_alone, handle)
                    : native.send_init(way->buffer, way->count, way->type, peer, 0, context_alone, handle);
}

static int make(const struct one_way *given, struct comm *comm, MPI_Request *request)
{
    struct one_way *way = malloc(sizeof *way);
    if (!way)
        return error_raise_unbegun(comm, MPI_ERR_NO_MEM, request);
    *way = *given;
    way->base.release = release;
    int code = make_handle(way, comm, &way->base.handle);
    if (code == MPI_SUCCESS && (code = keep_type(way)) != MPI_SUCCESS)
        native.request_free(&way->base.handle);
    if (code != MPI_SUCCESS) {
        free(way);
        return error_raise_unbegun(comm, code, request);
    }
    persistent_begin(&way->base, comm, request);
    return MPI_SUCCESS;
}

#define SEND_INIT(name, begin, nonblocking)                                                               \
    int mpi_##name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm handle, \
                   MPI_Request *request)                                                                  \
    {                                                                                                     \
        struct comm *comm = comm_of(handle);                                                              \
        if (!comm)                                                                                        \
            return native.name(buf, count, datatype, dest, tag, handle, request);                         \
        struct one_way way = {.base.start = (begin),                                                      \
                              .isend = native.nonblocking,                                                \
                              .buffer = (void *)buf,                                                      \
                              .count = count,                                                             \
                              .type = datatype,                                                           \
                              .rank = dest,                                                               \
                              .tag = tag};                                                                \
        return make(&way, comm, request);                                                                 \
    }
SEND_INIT(send_init, start_send, isend)
SEND_INIT(bsend_init, start_bsend, isend)
SEND_INIT(ssend_init, start_send, issend)
SEND_INIT(rsend_init, start_send, irsend)

int mpi_recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm handle,
                  MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.recv_init(buf, count, datatype, source, tag, handle, request);
    struct one_way way = {
        .base.start = start_recv, .buffer = buf, .count = count, .type = datatype, .rank = source, .tag = tag};
    return make(&way, comm, request);
}
