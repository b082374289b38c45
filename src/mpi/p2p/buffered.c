/* buffered.c: see buffered.h. MPI_Bsend, MPI_Ibsend, MPI_Buffer_attach, MPI_Buffer_detach. */
#include "mpi/p2p/buffered.h"
#include "mpi/abandon/drain.h"
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/p2p/p2p.h"
#include "mpi/request/copy.h"
#include "mpi/wait/doubt.h"

#include <pthread.h>
#include <stdlib.h>

struct message {
    struct message *next;
    struct knell__op op; /* holds the communicator */
    MPI_Request request;
    int room;      /* that it takes of what is attached */
    bool given_up; /* it takes none any more */
    bool asked;    /* its receiver was asked to take it (drain.h) */
    char bytes[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct message *all;
static struct {
    bool there;
    void *address;
    int size, used;
} attached;

/* ---- under way ------------------------------------------------------------------------------------------------------------- */

static void give_up(struct message *message)
{
    const struct knell__op *op = &message->op;
    message->given_up = true;
    attached.used -= message->room;
    message->asked = knell__hears(op->peer);
    if (!message->asked)
        return;
    knell__doubt_comm(op->comm);
    knell__drain_ask(op->peer, op->comm->place.context, op->tag);
}

static void end(struct message *message)
{
    const struct knell__op *op = &message->op;
    if (message->asked)
        knell__drain_end(op->peer, op->comm->place.context, op->tag);
    if (!message->given_up)
        attached.used -= message->room;
    knell__comm_release(op->comm);
    free(message);
}

/* The MPI below may read it until the job ends: its memory stays. */
static void leave_to_the_dead(struct message *message)
{
    knell__native.request_free(&message->request);
    knell__comm_release(message->op.comm);
}

/* True: it is off the list. */
static bool advance(struct message *message)
{
    int complete = 0, code = knell__native.test(&message->request, &complete, MPI_STATUS_IGNORE);
    if (complete || code != MPI_SUCCESS) {
        end(message);
        return true;
    }
    if (!message->given_up && knell__op_check(message->op.comm, message->op.peer) != MPI_SUCCESS)
        give_up(message);
    if (!message->given_up || knell__patience(message->op.comm, message->op.peer) > 0)
        return false;
    leave_to_the_dead(message);
    return true;
}

static void advance_all(void)
{
    for (struct message **at = &all; *at;) {
        struct message *message = *at, *next = message->next;
        if (advance(message))
            *at = next;
        else
            at = &message->next;
    }
}

bool knell__buffered_turn(bool given_up)
{
    bool more = false;
    pthread_mutex_lock(&lock);
    advance_all();
    for (const struct message *message = all; message; message = message->next)
        more |= message->given_up == given_up && !knell__is_dead(message->op.peer);
    pthread_mutex_unlock(&lock);
    return more;
}

/* ---- sending --------------------------------------------------------------------------------------------------------------- */

static int pack(const void *buf, int count, MPI_Datatype datatype, struct message **made, int *bytes)
{
    int room = 0;
    int code = count < 0 ? MPI_ERR_COUNT : knell__native.pack_size(count, datatype, knell__wire, &room);
    if (code != MPI_SUCCESS)
        return code;
    if (!attached.there || attached.size - attached.used - MPI_BSEND_OVERHEAD < room)
        return MPI_ERR_BUFFER;
    struct message *message = malloc(sizeof *message + (size_t)room + 1);
    if (!message)
        return MPI_ERR_NO_MEM;
    *message = (struct message){.room = room + MPI_BSEND_OVERHEAD};
    code = knell__pack(buf, count, datatype, message->bytes, room, bytes);
    if (code == MPI_SUCCESS)
        *made = message;
    else
        free(message);
    return code;
}

static int post(struct message *message, int bytes, const struct knell__end *to)
{
    struct knell__comm *comm = message->op.comm;
    int code = knell__native.isend(message->bytes, bytes, MPI_PACKED, to->native, to->tag, comm->place.context,
                                   &message->request);
    if (code != MPI_SUCCESS) {
        free(message);
        return knell__error_confirm(to->peer, code);
    }
    knell__comm_hold(comm);
    attached.used += message->room;
    message->next = all;
    all = message;
    return MPI_SUCCESS;
}

/* Never blocks. Not raised. */
static int send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, struct knell__comm *comm)
{
    struct knell__end to = knell__end_of(comm, dest, tag, false);
    struct knell__op op = knell__op_begin(comm, to.peer, KNELL__REQUEST_SEND);
    struct message *message;
    int bytes, code = to.code != MPI_SUCCESS ? to.code : op.code;
    if (code != MPI_SUCCESS || to.peer == KNELL__NONE)
        return code;
    op.tag = to.tag;
    pthread_mutex_lock(&lock);
    advance_all();
    code = pack(buf, count, datatype, &message, &bytes);
    if (code == MPI_SUCCESS) {
        message->op = op;
        code = post(message, bytes, &to);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int knell__mpi_bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm handle)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.bsend(buf, count, datatype, dest, tag, handle);
    return knell__raise(comm, send(buf, count, datatype, dest, tag, comm));
}

/* Complete when the call returns. As with all that is nonblocking, a death is raised by the completion call. */
int knell__mpi_ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm handle,
                      MPI_Request *request)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return knell__native.ibsend(buf, count, datatype, dest, tag, handle, request);
    int code = send(buf, count, datatype, dest, tag, comm);
    if (code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED)
        return knell__request_settled(comm, code, NULL, request);
    if (code != MPI_SUCCESS)
        return knell__raise_unbegun(comm, code, request);
    return knell__native.isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
}

/* ---- attaching ------------------------------------------------------------------------------------------------------------- */

int knell__mpi_buffer_attach(void *buffer, int size)
{
    int code = size < 0 ? MPI_ERR_ARG : MPI_SUCCESS;
    pthread_mutex_lock(&lock);
    if (code == MPI_SUCCESS && attached.there)
        code = MPI_ERR_BUFFER;
    if (code == MPI_SUCCESS) {
        attached.there = true;
        attached.address = buffer;
        attached.size = size;
    }
    pthread_mutex_unlock(&lock);
    return knell__raise(&knell__selfish, code);
}

/* Waits until all is received, or will not be any more. */
int knell__mpi_buffer_detach(void *buffer_addr, int *size)
{
    for (unsigned turns = 0; knell__buffered_turn(false);)
        knell__idle(&turns, NULL);
    pthread_mutex_lock(&lock);
    bool there = attached.there;
    if (there) {
        *(void **)buffer_addr = attached.address;
        *size = attached.size;
        attached.there = false;
    }
    pthread_mutex_unlock(&lock);
    return there ? MPI_SUCCESS : knell__raise(&knell__selfish, MPI_ERR_BUFFER);
}

#if MPI_VERSION >= 4
int knell__mpi_buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
    int small = 0, code = knell__mpi_buffer_detach(buffer_addr, &small);
    *size = small;
    return code;
}
#endif
