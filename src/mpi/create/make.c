/* make.c: creation by agreement: what dup, split, create and shrink have in common (docs/design/mpi.md, "The life of a
 * communicator"); create_group is group.c. Every member of the parent makes an offer of slots; all take the same one. A
 * creation fails at all members or at none. */
#include "mpi/create/make.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/past.h"
#include "mpi/detector/side.h"
#include "mpi/wait/wait.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

struct making {
    struct comm *parent; /* held */
    enum making_kind kind;
    struct offer_try try;
    struct hints hints;
    struct topology *topology; /* held */
    MPI_Comm handle;
    struct offer offer;
    struct side_ticket ticket;
    int size, local; /* as in struct comm_group */
    int member[];
};

static void propose(struct making *making, uint32_t refused)
{
    making->try.key = making->parent->id + making->kind;
    making->try.most = PLACE_SLOTS;
    offer_make(&making->offer, &making->try);
    making->offer.refused = refused;
    making->ticket = (struct side_ticket){
        .group = making->parent->id,
        .kind = making->kind == MAKING_SHRINK ? KNELL_KIND_SHRINK : KNELL_KIND_CREATE,
        .fold = SIDE_FOLD_OFFER,
        .alone = making->parent->members == 1,
        .size = sizeof making->offer,
    };
    memcpy(making->ticket.value, &making->offer, sizeof making->offer);
    side_propose(&making->ticket);
}

/* The highest of all members counts. What a topology's arguments have wrong is known by its class; all else is a failure. */
static uint32_t refusal_of(int code)
{
    if (code == MPI_SUCCESS || code == MPI_ERR_ARG || code == MPI_ERR_DIMS)
        return (uint32_t)code;
    return (uint32_t)MPIX_ERR_PROC_FAILED;
}

struct making *making_start(struct comm *parent, enum making_kind kind, const struct comm_group *group, MPI_Comm handle,
                            int code)
{
    struct making *making = calloc(1, sizeof *making + (size_t)parent->members * sizeof *making->member);
    struct comm_group all = {parent->process_of, parent->size, parent->local};
    group = group ? group : &all;
    if (!making)
        layer_die("out of memory");
    making->parent = parent;
    making->kind = kind;
    making->handle = handle;
    making->size = group->size;
    making->local = group->local;
    for (int i = 0; i < group->size + group->local; i++)
        making->member[i] = group->process[i];
    comm_hold(parent);
    propose(making, refusal_of(code));
    return making;
}

void making_hint(struct making *making, const struct hints *hints)
{
    making->hints = *hints;
}

void making_topology(struct making *making, struct topology *topology)
{
    making->topology = topology_hold(topology);
}

/* ---- the decision ---------------------------------------------------------------------------------------------------------- */

static bool somebody_died(const struct comm *comm, const struct side_ticket *ticket)
{
    for (int i = 0; i < comm->members; i++)
        if (side_ticket_has_dead(ticket, comm->process_of[i]))
            return true;
    return false;
}

static int failed(const struct comm *comm)
{
    return comm->hints.range == HINTS_RANGE_LOCAL ? MPIX_ERR_PROC_FAILED : MPIX_ERR_REVOKED;
}

int making_deaths(const struct comm *comm, const struct side_ticket *ticket)
{
    if (ticket->flags & KNELL_FLAG_REVOKED)
        return MPIX_ERR_REVOKED;
    return somebody_died(comm, ticket) ? failed(comm) : MPI_SUCCESS;
}

int making_verdict(const struct comm *comm, const struct side_ticket *ticket)
{
    struct offer agreed;
    int code = making_deaths(comm, ticket);
    memcpy(&agreed, ticket->value, sizeof agreed);
    if (code != MPI_SUCCESS)
        return code;
    return agreed.refused == (uint32_t)MPIX_ERR_PROC_FAILED ? failed(comm) : (int)agreed.refused;
}

/* The remote group of an intercommunicator may be empty then. */
static void keep_survivors(struct making *making)
{
    int all = making->size + making->local, remote = making->size, kept = 0;
    for (int i = 0; i < all; i++)
        if (!side_ticket_has_dead(&making->ticket, making->member[i]))
            making->member[kept++] = making->member[i];
        else if (i < remote)
            making->size--;
    making->local = kept - making->size;
}

static int lowest_member(const struct making *making)
{
    int lowest = making->member[0];
    for (int i = 1; i < making->size + making->local; i++)
        lowest = making->member[i] < lowest ? making->member[i] : lowest;
    return lowest;
}

/* Communicators of one split have one agreement and disjoint members. */
static uint64_t id_of(uint64_t agreed, int lowest)
{
    uint64_t x = agreed + ((uint64_t)lowest + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static struct comm *build(struct making *making, const struct offer *agreed, const struct place *place)
{
    if (making->kind == MAKING_SHRINK)
        keep_survivors(making);
    if (making->size + making->local == 0) {
        place_free(place, false);
        return NULL;
    }
    struct comm_group group = {making->member, making->size, making->local};
    struct comm *made = comm_new(&group, id_of(agreed->id, lowest_member(making)), place, making->handle);
    made->topology = topology_hold(making->topology);
    hints_set(made, &making->hints);
    return made;
}

static void forget(struct making *making, bool failed)
{
    if (failed) { /* the creation's error is raised, not that of an attribute's delete function */
        native.comm_set_errhandler(making->handle, MPI_ERRORS_RETURN);
        native.comm_free(&making->handle);
    }
    topology_release(making->topology);
    comm_release(making->parent);
    free(making->ticket.dead);
    free(making);
}

/* ---- after the decision -------------------------------------------------------------------------------------------------------- */

/* Nothing in common: all members see that, and offer anew. */
static int try_again(struct making *making, const struct offer *agreed, bool *done)
{
    if (!offer_try_next(&making->try, agreed)) {
        forget(making, true);
        return MPI_ERR_INTERN;
    }
    free(making->ticket.dead);
    propose(making, MPI_SUCCESS);
    *done = false;
    return MPI_SUCCESS;
}

int making_advance(struct making *making, bool *done, struct comm **made)
{
    struct offer agreed;
    struct place place;
    *done = side_decided(&making->ticket);
    if (!*done)
        return MPI_SUCCESS;
    bool shrinks = making->kind == MAKING_SHRINK;
    int code = shrinks ? MPI_SUCCESS : making_verdict(making->parent, &making->ticket);
    memcpy(&agreed, making->ticket.value, sizeof agreed);
    if (code != MPI_SUCCESS) {
        offer_withdraw(&making->offer);
        forget(making, true);
        return code;
    }
    if (!offer_take(&making->offer, &agreed, &place))
        return try_again(making, &agreed, done);
    past_drop(making->parent, &agreed);
    *made = build(making, &agreed, &place);
    forget(making, !*made);
    return MPI_SUCCESS;
}

int making_finish(struct making *making, struct comm **made)
{
    const struct comm *parent = making->parent; /* the making may be gone */
    bool done = false;
    int code;
    for (unsigned turns = 0; code = making_advance(making, &done, made), !done;)
        wait_idle(&turns, parent);
    return code;
}

/* ---- behind a request ------------------------------------------------------------------------------------------------------ */

struct making_task {
    struct task task;
    struct making *making;
};

static int task_advance(struct task *task, bool *done)
{
    struct comm *made = NULL;
    return making_advance(((struct making_task *)task)->making, done, &made);
}

static void task_release(struct task *task)
{
    free(task);
}

/* The handle is given out at once and never written again: Open MPI's Fortran hands us a variable on its stack. */
int making_request(struct making *making, struct comm *parent, MPI_Comm *newcomm, MPI_Request *request)
{
    struct making_task *task = calloc(1, sizeof *task);
    if (!task)
        layer_die("out of memory");
    task->task = (struct task){.advance = task_advance, .release = task_release};
    task->making = making;
    *newcomm = making->handle;
    return request_token(parent, &task->task, request);
}
