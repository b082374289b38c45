/* probe.c: probes and matched receives. A probe that blocks asks again and again. A matched message is remembered with its
 * communicator and sender until it is received. */
#include "mpi/p2p/probe.h"
#include "mpi/abandon/discard.h"
#include "mpi/base/gen/own.h"
#include "mpi/error/error.h"
#include "mpi/p2p/anytag.h"

#include <pthread.h>
#include <stdlib.h>

enum { LAST_LOOKS = 64 };

/* ---- matched messages ------------------------------------------------------------------------------------------------------ */

struct matched {
    struct matched *next;
    MPI_Message message;
    MPI_Status status;        /* native */
    struct knell__comm *comm; /* held */
    bool gone;                /* its sender has given it up, and it was thrown away */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct matched *all_matched;

static void matched_put(MPI_Message message, struct knell__comm *comm, const MPI_Status *status)
{
    struct matched *made = malloc(sizeof *made);
    if (!made)
        knell__die("out of memory");
    knell__comm_hold(comm);
    pthread_mutex_lock(&lock);
    *made = (struct matched){all_matched, message, *status, comm, false};
    all_matched = made;
    pthread_mutex_unlock(&lock);
}

/* The communicator is the caller's to release. comm NULL: not ours (MPI_MESSAGE_NO_PROC, or an invalid one). */
static struct matched matched_take(MPI_Message message)
{
    struct matched taken = {.comm = NULL};
    pthread_mutex_lock(&lock);
    struct matched **at = &all_matched;
    while (*at && (*at)->message != message)
        at = &(*at)->next;
    struct matched *found = *at;
    if (found) {
        *at = found->next;
        taken = *found;
    }
    pthread_mutex_unlock(&lock);
    free(found);
    return taken;
}

void knell__matched_discard(int source, int tag, MPI_Comm context)
{
    pthread_mutex_lock(&lock);
    for (struct matched *at = all_matched; at; at = at->next) {
        MPI_Message message = at->message; /* the program has the handle, too */
        if (at->gone || at->status.MPI_SOURCE != source || at->status.MPI_TAG != tag ||
            at->comm->place.context != context)
            continue;
        at->gone = true;
        knell__discard(&message, &at->status);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- probes ---------------------------------------------------------------------------------------------------------------- */

/* One look at what has arrived. `message` NULL: a plain probe. */
static int look(struct knell__comm *comm, const struct knell__end *from, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    MPI_Status found;
    int code;
    if (KNELL__RARELY(comm->place.stamp != 0))
        code = knell__anytag_probe(comm, from, flag, message, &found);
    else
        code = message ? knell__native.improbe(from->native, from->tag, comm->place.context, flag, message, &found)
                       : knell__native.iprobe(from->native, from->tag, comm->place.context, flag, &found);
    if (code != MPI_SUCCESS || !*flag)
        return code;
    if (message && *message != MPI_MESSAGE_NO_PROC)
        matched_put(*message, comm, &found);
    knell__status_translate(comm, from->peer, &found);
    knell__status_set(status, &found);
    return MPI_SUCCESS;
}

/* Looks first: what came before a death is there to be found, and may lie unread in the transport. */
static int probe(struct knell__comm *comm, int source, int tag, bool wait, int *flag, MPI_Message *message,
                 MPI_Status *status)
{
    struct knell__end from = knell__end_of(comm, source, tag, true);
    struct knell__op op = knell__op_begin(comm, from.peer, KNELL__REQUEST_RECV);
    int code = from.code != MPI_SUCCESS ? from.code : op.code == MPIX_ERR_REVOKED ? op.code : MPI_SUCCESS;
    *flag = 0;
    for (unsigned turns = 0, last = 0; code == MPI_SUCCESS; knell__idle_op(&turns, &op)) {
        code = look(comm, &from, flag, message, status);
        if (code != MPI_SUCCESS)
            code = knell__error_confirm(from.peer, code);
        if (code != MPI_SUCCESS || *flag)
            break;
        bool failed = op.code != MPI_SUCCESS || knell__op_hit(&op);
        if (failed && ++last > LAST_LOOKS)
            code = op.code;
        if (!failed && !wait)
            break;
    }
    if (!*flag && !wait && atomic_load_explicit(&knell__tasks_active, memory_order_relaxed))
        knell__tasks_advance(); /* who polls by probes lets the rest go on too */
    return knell__raise(comm, code);
}

int knell__mpi_probe(int source, int tag, MPI_Comm handle, MPI_Status *status)
{
    struct knell__comm *comm = knell__comm_of(handle);
    int flag;
    return comm ? probe(comm, source, tag, true, &flag, NULL, status)
                : knell__native.probe(source, tag, handle, status);
}

int knell__mpi_iprobe(int source, int tag, MPI_Comm handle, int *flag, MPI_Status *status)
{
    struct knell__comm *comm = knell__comm_of(handle);
    return comm ? probe(comm, source, tag, false, flag, NULL, status)
                : knell__native.iprobe(source, tag, handle, flag, status);
}

int knell__mpi_mprobe(int source, int tag, MPI_Comm handle, MPI_Message *message, MPI_Status *status)
{
    struct knell__comm *comm = knell__comm_of(handle);
    int flag;
    return comm ? probe(comm, source, tag, true, &flag, message, status)
                : knell__native.mprobe(source, tag, handle, message, status);
}

int knell__mpi_improbe(int source, int tag, MPI_Comm handle, int *flag, MPI_Message *message, MPI_Status *status)
{
    struct knell__comm *comm = knell__comm_of(handle);
    return comm ? probe(comm, source, tag, false, flag, message, status)
                : knell__native.improbe(source, tag, handle, flag, message, status);
}

/* ---- matched receives ------------------------------------------------------------------------------------------------------ */

/* Of a communicator that was revoked. */
static int already_gone(struct knell__comm *comm, MPI_Message *message, MPI_Request *request)
{
    *message = MPI_MESSAGE_NULL;
    int code =
        request ? knell__request_settled(comm, MPIX_ERR_REVOKED, NULL, request) : knell__raise(comm, MPIX_ERR_REVOKED);
    knell__comm_release(comm);
    return code;
}

int knell__mpi_mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    struct matched found = matched_take(*message);
    struct knell__comm *comm = found.comm;
    MPI_Request request;
    if (!comm)
        return knell__native.mrecv(buf, count, datatype, message, status);
    if (found.gone)
        return already_gone(comm, message, NULL);
    struct knell__op op = knell__op_begin(comm, found.status.MPI_SOURCE, KNELL__REQUEST_RECV);
    int code = knell__native.imrecv(buf, count, datatype, message, &request);
    code = code == MPI_SUCCESS ? knell__wait(&op, &request, status) : knell__error_confirm(op.peer, code);
    if (code == MPI_SUCCESS)
        knell__status_translate(comm, op.peer, status);
    code = knell__raise(comm, code);
    knell__comm_release(comm);
    return code;
}

int knell__mpi_imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)
{
    struct matched found = matched_take(*message);
    struct knell__comm *comm = found.comm;
    int peer = found.status.MPI_SOURCE;
    if (!comm)
        return knell__native.imrecv(buf, count, datatype, message, request);
    if (found.gone)
        return already_gone(comm, message, request);
    int code = knell__native.imrecv(buf, count, datatype, message, request);
    if (code == MPI_SUCCESS)
        knell__request_put(*request, KNELL__REQUEST_RECV, peer, comm, 0);
    else
        code = knell__raise_unbegun(comm, knell__error_confirm(peer, code), request);
    knell__comm_release(comm);
    return code;
}
