/* buffered.c: see buffered.h. MPI_Bsend, MPI_Ibsend, MPI_Buffer_attach, MPI_Buffer_detach. */
#include "mpi/p2p/buffered.h"
#include "mpi/abandon/drain.h"
#include "mpi/base/gen/own.h"
#include "mpi/base/lock.h"
#include "mpi/carried/carried.h"
#include "mpi/error/error.h"
#include "mpi/p2p/p2p.h"
#include "mpi/request/copy.h"
#include "mpi/wait/doubt.h"

#include <stdlib.h>

struct message {
    struct message *next;
    struct op op; /* holds the communicator */
    MPI_Request request;
    int room;      /* that it takes of what is attached */
    bool given_up; /* it takes none any more */
    bool asked;    /* its receiver was asked to take it (drain.h) */
    char bytes[];
};

static struct message *all;
static struct {
    bool there;
    void *address;
    int size, used;
} attached;

/* ---- under way ------------------------------------------------------------------------------------------------------------- */

static void give_up(struct message *message)
{
    const struct op *op = &message->op;
    message->given_up = true;
    attached.used -= message->room;
    if (carried_is(message->request))
        native.cancel(&message->request);
    else
        message->asked = side_reaches(op->peer);
    if (!message->asked)
        return;
    doubt_comm(op->comm);
    drain_ask(op->peer, op->comm->place.context, op->tag);
}

static void end(struct message *message)
{
    const struct op *op = &message->op;
    if (message->asked)
        drain_end(op->peer, op->comm->place.context, op->tag);
    if (!message->given_up)
        attached.used -= message->room;
    comm_release(op->comm);
    free(message);
}

/* The MPI below may read it until the job ends: its memory stays. */
static void leave_to_the_dead(struct message *message)
{
    native.request_free(&message->request);
    comm_release(message->op.comm);
}

/* True: it is off the list. */
static bool advance(struct message *message)
{
    int complete = 0, code = native.test(&message->request, &complete, MPI_STATUS_IGNORE);
    if (complete || code != MPI_SUCCESS) {
        end(message);
        return true;
    }
    if (!message->given_up && op_check(message->op.comm, message->op.peer) != MPI_SUCCESS)
        give_up(message);
    if (!message->given_up || wait_give_up_ms(message->op.comm, message->op.peer) > 0)
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

bool buffered_turn(bool given_up)
{
    bool more = false;
    lock_take(LOCK_BUFFERED);
    advance_all();
    for (const struct message *message = all; message; message = message->next)
        more |= message->given_up == given_up && !side_is_dead(message->op.peer);
    lock_give(LOCK_BUFFERED);
    return more;
}

/* ---- sending --------------------------------------------------------------------------------------------------------------- */

static int pack(const void *buf, int count, MPI_Datatype datatype, struct message **made, int *bytes)
{
    int room = 0;
    int code = count < 0 ? MPI_ERR_COUNT : native.pack_size(count, datatype, context_alone, &room);
    if (code != MPI_SUCCESS)
        return code;
    if (!attached.there || attached.size - attached.used - MPI_BSEND_OVERHEAD < room)
        return MPI_ERR_BUFFER;
    struct message *message = malloc(sizeof *message + (size_t)room + 1);
    if (!message)
        return MPI_ERR_NO_MEM;
    *message = (struct message){.room = room + MPI_BSEND_OVERHEAD};
    code = copy_pack(buf, count, datatype, message->bytes, room, bytes);
    if (code == MPI_SUCCESS)
        *made = message;
    else
        free(message);
    return code;
}

static int post(struct message *message, int bytes, const struct p2p_end *to)
{
    struct comm *comm = message->op.comm;
    int code =
        native.isend(message->bytes, bytes, MPI_PACKED, to->native, to->tag, comm->place.context, &message->request);
    if (code != MPI_SUCCESS) {
        free(message);
        return side_confirm_error(to->peer, code);
    }
    comm_hold(comm);
    attached.used += message->room;
    message->next = all;
    all = message;
    return MPI_SUCCESS;
}

/* Never blocks. Not raised. */
static int send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, struct comm *comm)
{
    struct p2p_end to = p2p_end_of(comm, dest, tag, false);
    struct op op = op_begin(comm, to.peer, REQUEST_SEND);
    struct message *message;
    int bytes, code = to.code != MPI_SUCCESS ? to.code : op.code;
    if (code != MPI_SUCCESS || to.peer == PEER_NONE)
        return code;
    op.tag = to.tag;
    lock_take(LOCK_BUFFERED);
    advance_all();
    code = pack(buf, count, datatype, &message, &bytes);
    if (code == MPI_SUCCESS) {
        message->op = op;
        code = post(message, bytes, &to);
    }
    lock_give(LOCK_BUFFERED);
    return code;
}

int mpi_bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm handle)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.bsend(buf, count, datatype, dest, tag, handle);
    return error_raise(comm, send(buf, count, datatype, dest, tag, comm));
}

/* Complete when the call returns. As with all that is nonblocking, a death is raised by the completion call. */
int buffered_ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, struct comm *comm,
                    MPI_Request *request)
{
    int code = send(buf, count, datatype, dest, tag, comm);
    if (code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED)
        return request_settled(comm, code, NULL, request);
    if (code != MPI_SUCCESS)
        return error_raise_unbegun(comm, code, request);
    return native.isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
}

int mpi_ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm handle,
               MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.ibsend(buf, count, datatype, dest, tag, handle, request);
    return buffered_ibsend(buf, count, datatype, dest, tag, comm, request);
}

/* ---- attaching ------------------------------------------------------------------------------------------------------------- */

int mpi_buffer_attach(void *buffer, int size)
{
    int code = size < 0 ? MPI_ERR_ARG : MPI_SUCCESS;
    lock_take(LOCK_BUFFERED);
    if (code == MPI_SUCCESS && attached.there)
        code = MPI_ERR_BUFFER;
    if (code == MPI_SUCCESS) {
        attached.there = true;
        attached.address = buffer;
        attached.size = size;
    }
    lock_give(LOCK_BUFFERED);
    return error_raise(&comm_self, code);
}

/* Waits until all is received, or will not be any more. */
int mpi_buffer_detach(void *buffer_addr, int *size)
{
    for (unsigned turns = 0; buffered_turn(false);)
        wait_idle(&turns, NULL);
    lock_take(LOCK_BUFFERED);
    bool there = attached.there;
    if (there) {
        *(void **)buffer_addr = attached.address;
        *size = attached.size;
        attached.there = false;
    }
    lock_give(LOCK_BUFFERED);
    return there ? MPI_SUCCESS : error_raise(&comm_self, MPI_ERR_BUFFER);
}

#if MPI_VERSION >= 4
int mpi_buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
    int small = 0, code = mpi_buffer_detach(buffer_addr, &small);
    *size = small;
    return code;
}
#endif
