/* ulfm.c: the calls of user-level failure mitigation. All of them are the side channel's word. */
#include "mpi/base/gen/own.h"
#include "mpi/create/handle.h"
#include "mpi/create/make.h"
#include "mpi/error/error.h"
#include "mpi/native/native.h"
#include "mpi/wait/wait.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int no_comm(void)
{
    return knell__raise(&knell__selfish, MPI_ERR_COMM);
}

/* ---- revoke ---------------------------------------------------------------------------------------------------------------- */

int knell__mpi_comm_revoke(MPI_Comm handle)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return no_comm();
    knell__comms_revoked(comm->id);
    knell__epoch_raise();
    if (comm->size > 1)
        knell__side_revoke(comm->id);
    return MPI_SUCCESS;
}

int knell__mpi_comm_is_revoked(MPI_Comm handle, int *flag)
{
    const struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return no_comm();
    *flag = (knell__trouble(comm) & KNELL__REVOKED) != 0;
    return MPI_SUCCESS;
}

/* ---- shrink ---------------------------------------------------------------------------------------------------------------- */

int knell__mpi_comm_shrink(MPI_Comm handle, MPI_Comm *newcomm)
{
    struct knell__comm *comm = knell__comm_of(handle), *made = NULL;
    MPI_Comm newhandle;
    if (!comm)
        return no_comm();
    knell__handle_like(comm, false, &newhandle);
    int code =
        knell__making_finish(knell__making_start(comm, KNELL__MAKE_SHRINK, NULL, 0, newhandle, MPI_SUCCESS), &made);
    *newcomm = made ? made->handle : MPI_COMM_NULL;
    return knell__raise(comm, code);
}

int knell__mpi_comm_ishrink(MPI_Comm handle, MPI_Comm *newcomm, MPI_Request *request)
{
    struct knell__comm *comm = knell__comm_of(handle);
    MPI_Comm newhandle;
    if (!comm)
        return no_comm();
    knell__handle_like(comm, false, &newhandle);
    struct knell__making *making = knell__making_start(comm, KNELL__MAKE_SHRINK, NULL, 0, newhandle, MPI_SUCCESS);
    return knell__raise(comm, knell__making_request(making, comm, newcomm, request));
}

/* ---- agree ----------------------------------------------------------------------------------------------------------------- */

static void agree_propose(struct knell__comm *comm, const int *flag, bool blocking, struct knell__ticket *ticket)
{
    *ticket = (struct knell__ticket){
        .group = comm->id,
        .kind = KNELL_KIND_AGREE,
        .fold = KNELL__FOLD_AND,
        .alone = comm->size == 1,
        .blocking = blocking,
        .size = sizeof *flag,
        .acked = comm->acked_digest,
    };
    memcpy(ticket->value, flag, sizeof *flag);
    knell__side_propose(ticket);
}

static int agree_result(struct knell__ticket *ticket, int *flag)
{
    memcpy(flag, ticket->value, sizeof *flag);
    free(ticket->dead);
    return ticket->flags & KNELL_FLAG_ACKED ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED;
}

int knell__mpi_comm_agree(MPI_Comm handle, int *flag)
{
    struct knell__comm *comm = knell__comm_of(handle);
    struct knell__ticket ticket;
    if (!comm)
        return no_comm();
    agree_propose(comm, flag, true, &ticket);
    for (unsigned turns = 0; !knell__side_decided(&ticket);)
        knell__idle(&turns, comm);
    return knell__raise(comm, agree_result(&ticket, flag));
}

struct agree_task {
    struct knell__task task;
    struct knell__ticket ticket;
    int *flag;
};

static int agree_advance(struct knell__task *task, bool *done)
{
    struct agree_task *agree = (struct agree_task *)task;
    *done = knell__side_decided(&agree->ticket);
    return *done ? agree_result(&agree->ticket, agree->flag) : MPI_SUCCESS;
}

static void agree_release(struct knell__task *task)
{
    free(task);
}

int knell__mpi_comm_iagree(MPI_Comm handle, int *flag, MPI_Request *request)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return no_comm();
    struct agree_task *agree = calloc(1, sizeof *agree);
    if (!agree)
        return knell__raise(comm, MPI_ERR_NO_MEM);
    agree->task = (struct knell__task){.advance = agree_advance, .release = agree_release};
    agree->flag = flag;
    agree_propose(comm, flag, false, &agree->ticket);
    return knell__raise(comm, knell__request_token(comm, &agree->task, request));
}

/* ---- failed and acknowledged ----------------------------------------------------------------------------------------------- */

/* The first `count` failed members; all that are known when `count` is negative. */
static int failed_group(const struct knell__comm *comm, int count, MPI_Group *group)
{
    int *process = malloc((size_t)comm->size * sizeof *process);
    if (!process)
        return MPI_ERR_NO_MEM;
    int known = knell__comm_failed(comm, process, comm->size);
    *group = knell__native_group(process, count < 0 ? known : count);
    free(process);
    return MPI_SUCCESS;
}

/* Acknowledges up to `count` in all, never fewer than before. */
static int acknowledge(struct knell__comm *comm, int count)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    int *process = malloc((size_t)comm->size * sizeof *process);
    if (!process)
        return MPI_ERR_NO_MEM;
    pthread_mutex_lock(&one_at_a_time);
    int known = knell__comm_failed(comm, process, comm->size);
    for (int i = comm->acked; i < count && i < known; i++)
        comm->acked_digest += knell__side_digest(process[i]);
    if (count > comm->acked)
        comm->acked = count < known ? count : known;
    pthread_mutex_unlock(&one_at_a_time);
    free(process);
    return MPI_SUCCESS;
}

int knell__mpi_comm_get_failed(MPI_Comm handle, MPI_Group *failed)
{
    struct knell__comm *comm = knell__comm_of(handle);
    return comm ? knell__raise(comm, failed_group(comm, -1, failed)) : no_comm();
}

int knell__mpi_comm_ack_failed(MPI_Comm handle, int count, int *acked)
{
    struct knell__comm *comm = knell__comm_of(handle);
    if (!comm)
        return no_comm();
    if (count < 0 || count > comm->size)
        return knell__raise(comm, MPI_ERR_ARG);
    int code = acknowledge(comm, count);
    *acked = comm->acked;
    return knell__raise(comm, code);
}

int knell__mpi_comm_failure_ack(MPI_Comm handle)
{
    struct knell__comm *comm = knell__comm_of(handle);
    return comm ? knell__raise(comm, acknowledge(comm, comm->size)) : no_comm();
}

int knell__mpi_comm_failure_get_acked(MPI_Comm handle, MPI_Group *failed)
{
    struct knell__comm *comm = knell__comm_of(handle);
    return comm ? knell__raise(comm, failed_group(comm, comm->acked, failed)) : no_comm();
}
