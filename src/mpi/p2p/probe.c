/* probe.c: probes and matched receives. A probe that blocks asks again and again. A matched message is remembered with its
 * communicator and sender until it is received. */
#include "mpi/p2p/probe.h"
#include "mpi/abandon/discard.h"
#include "mpi/base/gen/own.h"
#include "mpi/carried/carried.h"
#include "mpi/error/error.h"
#include "mpi/p2p/anytag.h"
#include "mpi/p2p/matching.h"

#include <stdlib.h>

enum { LAST_LOOKS = 64 };

/* ---- matched messages ------------------------------------------------------------------------------------------------------ */

struct matched {
    struct matched *next;
    MPI_Message message;
    MPI_Status status; /* native */
    struct comm *comm; /* held */
    bool gone;         /* its sender has given it up, and it was thrown away */
};

static struct matched *all_matched; /* LOCK_MATCHING */

static void matched_put(MPI_Message message, struct comm *comm, const MPI_Status *status)
{
    struct matched *made = malloc(sizeof *made);
    if (!made)
        layer_die("out of memory");
    comm_hold(comm);
    matching_enter();
    *made = (struct matched){all_matched, message, *status, comm, false};
    all_matched = made;
    matching_leave();
}

/* The communicator is the caller's to release. comm NULL: not ours (MPI_MESSAGE_NO_PROC, or an invalid one). */
static struct matched matched_take(MPI_Message message)
{
    struct matched taken = {.comm = NULL};
    matching_enter();
    struct matched **at = &all_matched;
    while (*at && (*at)->message != message)
        at = &(*at)->next;
    struct matched *found = *at;
    if (found) {
        *at = found->next;
        taken = *found;
    }
    matching_leave();
    free(found);
    return taken;
}

void probe_discard(int source, int tag, MPI_Comm context)
{
    matching_enter();
    for (struct matched *at = all_matched; at; at = at->next) {
        MPI_Message message = at->message; /* the program has the handle, too */
        if (at->gone || at->status.MPI_SOURCE != source || at->status.MPI_TAG != tag ||
            at->comm->place.context != context)
            continue;
        at->gone = true;
        discard_message(&message, &at->status);
    }
    matching_leave();
}

/* ---- probes ---------------------------------------------------------------------------------------------------------------- */

/* One look at what has arrived. `message` NULL: a plain probe. */
static int look(struct comm *comm, const struct p2p_end *from, int *flag, MPI_Message *message, MPI_Status *status)
{
    MPI_Status found;
    int code;
    if (RARELY(comm->place.stamp != 0))
        code = anytag_probe(comm, from, flag, message, &found);
    else
        code = message ? native.improbe(from->native, from->tag, comm->place.context, flag, message, &found)
                       : native.iprobe(from->native, from->tag, comm->place.context, flag, &found);
    if (code != MPI_SUCCESS || !*flag)
        return code;
    if (message && *message != MPI_MESSAGE_NO_PROC)
        matched_put(*message, comm, &found);
    p2p_status(comm, from->peer, &found);
    wait_status_set(status, &found);
    return MPI_SUCCESS;
}

/* Looks first: what came before a death is there to be found, and may lie unread in the transport. */
static int probe(struct comm *comm, int source, int tag, bool wait, int *flag, MPI_Message *message, MPI_Status *status)
{
    struct p2p_end from = p2p_end_of(comm, source, tag, true);
    struct op op = op_begin(comm, from.peer, REQUEST_RECV);
    int code = from.code != MPI_SUCCESS ? from.code : op.code == MPIX_ERR_REVOKED ? op.code : MPI_SUCCESS;
    *flag = 0;
    for (unsigned turns = 0, last = 0; code == MPI_SUCCESS; wait_idle_op(&turns, &op)) {
        code = look(comm, &from, flag, message, status);
        if (code != MPI_SUCCESS)
            code = side_confirm_error(from.peer, code);
        if (code != MPI_SUCCESS || *flag)
            break;
        bool failed = op.code != MPI_SUCCESS || op_hit(&op);
        if (failed && ++last > LAST_LOOKS)
            code = op.code;
        if (!failed && !wait)
            break;
    }
    if (!*flag && !wait && atomic_load_explicit(&layer_tasks, memory_order_relaxed))
        task_advance_all(); /* who polls by probes lets the rest go on too */
    return error_raise(comm, code);
}

int mpi_probe(int source, int tag, MPI_Comm handle, MPI_Status *status)
{
    struct comm *comm = comm_of(handle);
    int flag;
    return comm ? probe(comm, source, tag, true, &flag, NULL, status) : native.probe(source, tag, handle, status);
}

int mpi_iprobe(int source, int tag, MPI_Comm handle, int *flag, MPI_Status *status)
{
    struct comm *comm = comm_of(handle);
    return comm ? probe(comm, source, tag, false, flag, NULL, status)
                : native.iprobe(source, tag, handle, flag, status);
}

int mpi_mprobe(int source, int tag, MPI_Comm handle, MPI_Message *message, MPI_Status *status)
{
    struct comm *comm = comm_of(handle);
    int flag;
    return comm ? probe(comm, source, tag, true, &flag, message, status)
                : native.mprobe(source, tag, handle, message, status);
}

int mpi_improbe(int source, int tag, MPI_Comm handle, int *flag, MPI_Message *message, MPI_Status *status)
{
    struct comm *comm = comm_of(handle);
    return comm ? probe(comm, source, tag, false, flag, message, status)
                : native.improbe(source, tag, handle, flag, message, status);
}

/* ---- matched receives ------------------------------------------------------------------------------------------------------ */

/* Of a communicator that was revoked. */
static int already_gone(struct comm *comm, MPI_Message *message, MPI_Request *request)
{
    *message = MPI_MESSAGE_NULL;
    int code = request ? request_settled(comm, MPIX_ERR_REVOKED, NULL, request) : error_raise(comm, MPIX_ERR_REVOKED);
    comm_release(comm);
    return code;
}

int mpi_mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    struct matched found = matched_take(*message);
    struct comm *comm = found.comm;
    MPI_Request request;
    if (!comm)
        return native.mrecv(buf, count, datatype, message, status);
    if (found.gone)
        return already_gone(comm, message, NULL);
    struct op op = op_begin(comm, found.status.MPI_SOURCE, REQUEST_RECV);
    int code = native.imrecv(buf, count, datatype, message, &request);
    code = code == MPI_SUCCESS ? wait_for(&op, &request, status) : side_confirm_error(op.peer, code);
    if (code == MPI_SUCCESS)
        p2p_status(comm, op.peer, status);
    code = error_raise(comm, code);
    comm_release(comm);
    return code;
}

int mpi_imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)
{
    struct matched found = matched_take(*message);
    struct comm *comm = found.comm;
    int peer = found.status.MPI_SOURCE;
    if (!comm)
        return native.imrecv(buf, count, datatype, message, request);
    if (found.gone)
        return already_gone(comm, message, request);
    int code = native.imrecv(buf, count, datatype, message, request);
    if (code == MPI_SUCCESS) {
        carried_show(request);
        request_put(*request, REQUEST_RECV, peer, comm, 0);
    } else {
        code = error_raise_unbegun(comm, side_confirm_error(peer, code), request);
    }
    comm_release(comm);
    return code;
}
