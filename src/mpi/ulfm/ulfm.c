/* ulfm.c: the calls of user-level failure mitigation. All of them are the side channel's word. */
#include "mpi/base/gen/own.h"
#include "mpi/base/lock.h"
#include "mpi/create/handle.h"
#include "mpi/create/make.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"
#include "mpi/wait/wait.h"

#include <stdlib.h>
#include <string.h>

static int no_comm(void)
{
    return error_raise(&comm_self, MPI_ERR_COMM);
}

/* ---- revoke ---------------------------------------------------------------------------------------------------------------- */

int mpi_comm_revoke(MPI_Comm handle)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return no_comm();
    comm_note_revoke(comm->id);
    side_epoch_raise();
    if (comm->members > 1)
        side_revoke(comm->id);
    return MPI_SUCCESS;
}

int mpi_comm_is_revoked(MPI_Comm handle, int *flag)
{
    const struct comm *comm = comm_of(handle);
    if (!comm)
        return no_comm();
    *flag = (comm_trouble(comm) & COMM_REVOKED) != 0;
    return MPI_SUCCESS;
}

/* ---- shrink ---------------------------------------------------------------------------------------------------------------- */

int mpi_comm_shrink(MPI_Comm handle, MPI_Comm *newcomm)
{
    struct comm *comm = comm_of(handle), *made = NULL;
    MPI_Comm newhandle;
    if (!comm)
        return no_comm();
    create_handle_like(comm, false, &newhandle);
    int code = making_finish(making_start(comm, MAKING_SHRINK, NULL, newhandle, MPI_SUCCESS), &made);
    *newcomm = made ? made->handle : MPI_COMM_NULL;
    return error_raise(comm, code);
}

int mpi_comm_ishrink(MPI_Comm handle, MPI_Comm *newcomm, MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    MPI_Comm newhandle;
    if (!comm)
        return no_comm();
    create_handle_like(comm, false, &newhandle);
    struct making *making = making_start(comm, MAKING_SHRINK, NULL, newhandle, MPI_SUCCESS);
    return error_raise(comm, making_request(making, comm, newcomm, request));
}

/* ---- agree ----------------------------------------------------------------------------------------------------------------- */

/* On an intercommunicator each member has the flags of the remote group: those of both are agreed on, in the order of all members. */
enum { FLAGS = 2 };

static int flag_of(const struct comm *comm, bool remote)
{
    return comm_is_inter(comm) && comm_goes_first(comm) == remote;
}

static void agree_propose(struct comm *comm, const int *flag, bool blocking, struct side_ticket *ticket)
{
    int flags[FLAGS] = {-1, -1};
    flags[flag_of(comm, false)] = *flag;
    *ticket = (struct side_ticket){
        .group = comm->id,
        .kind = KNELL_KIND_AGREE,
        .fold = SIDE_FOLD_AND,
        .alone = comm->members == 1,
        .blocking = blocking,
        .size = sizeof flags,
        .acked = comm->acked_digest,
    };
    memcpy(ticket->value, flags, sizeof flags);
    side_propose(ticket);
}

static int agree_result(const struct comm *comm, struct side_ticket *ticket, int *flag)
{
    int flags[FLAGS];
    memcpy(flags, ticket->value, sizeof flags);
    *flag = flags[flag_of(comm, true)];
    free(ticket->dead);
    return ticket->flags & KNELL_FLAG_ACKED ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED;
}

int mpi_comm_agree(MPI_Comm handle, int *flag)
{
    struct comm *comm = comm_of(handle);
    struct side_ticket ticket;
    if (!comm)
        return no_comm();
    agree_propose(comm, flag, true, &ticket);
    for (unsigned turns = 0; !side_decided(&ticket);)
        wait_idle(&turns, comm);
    return error_raise(comm, agree_result(comm, &ticket, flag));
}

struct agree_task {
    struct task task;
    struct side_ticket ticket;
    const struct comm *comm; /* held by the request */
    int *flag;
};

static int agree_advance(struct task *task, bool *done)
{
    struct agree_task *agree = (struct agree_task *)task;
    *done = side_decided(&agree->ticket);
    return *done ? agree_result(agree->comm, &agree->ticket, agree->flag) : MPI_SUCCESS;
}

static void agree_release(struct task *task)
{
    free(task);
}

int mpi_comm_iagree(MPI_Comm handle, int *flag, MPI_Request *request)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return no_comm();
    struct agree_task *agree = calloc(1, sizeof *agree);
    if (!agree)
        return error_raise(comm, MPI_ERR_NO_MEM);
    agree->task = (struct task){.advance = agree_advance, .release = agree_release};
    agree->comm = comm;
    agree->flag = flag;
    agree_propose(comm, flag, false, &agree->ticket);
    return error_raise(comm, request_token(comm, &agree->task, request));
}

/* ---- failed and acknowledged ----------------------------------------------------------------------------------------------- */

/* The first `count` failed members; all that are known when `count` is negative. */
static int failed_group(const struct comm *comm, int count, MPI_Group *group)
{
    int *process = malloc((size_t)comm->members * sizeof *process);
    if (!process)
        return MPI_ERR_NO_MEM;
    int known = comm_failed(comm, process, comm->members);
    *group = native_group_of(process, count < 0 ? known : count);
    free(process);
    return MPI_SUCCESS;
}

/* Acknowledges up to `count` in all, never fewer than before. */
static int acknowledge(struct comm *comm, int count)
{
    int *process = malloc((size_t)comm->members * sizeof *process);
    if (!process)
        return MPI_ERR_NO_MEM;
    lock_take(LOCK_ACKNOWLEDGE);
    int known = comm_failed(comm, process, comm->members);
    for (int i = comm->acked; i < count && i < known; i++)
        comm->acked_digest += side_digest(process[i]);
    if (count > comm->acked)
        comm->acked = count < known ? count : known;
    lock_give(LOCK_ACKNOWLEDGE);
    free(process);
    return MPI_SUCCESS;
}

int mpi_comm_get_failed(MPI_Comm handle, MPI_Group *failed)
{
    struct comm *comm = comm_of(handle);
    return comm ? error_raise(comm, failed_group(comm, -1, failed)) : no_comm();
}

int mpi_comm_ack_failed(MPI_Comm handle, int count, int *acked)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return no_comm();
    if (count < 0 || count > comm->members)
        return error_raise(comm, MPI_ERR_ARG);
    int code = acknowledge(comm, count);
    *acked = comm->acked;
    return error_raise(comm, code);
}

int mpi_comm_failure_ack(MPI_Comm handle)
{
    struct comm *comm = comm_of(handle);
    return comm ? error_raise(comm, acknowledge(comm, comm->members)) : no_comm();
}

int mpi_comm_failure_get_acked(MPI_Comm handle, MPI_Group *failed)
{
    struct comm *comm = comm_of(handle);
    return comm ? error_raise(comm, failed_group(comm, comm->acked, failed)) : no_comm();
}
