/* make.c: creation by agreement: what dup, split, create and shrink have in common (docs/mpi.md, "The life of a
 * communicator"); create_group is comm_group.c. Every member of the parent makes an offer of slots; all take the same one. A
 * creation fails at all members or at none. */
#include "mpi/create/make.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/past.h"
#include "mpi/detector/side.h"
#include "mpi/wait/wait.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

struct knell__making {
    struct knell__comm *parent; /* held */
    enum knell__make kind;
    struct knell__try try;
    struct knell__hints hints;
    MPI_Comm handle;
    struct knell__offer offer;
    struct knell__ticket ticket;
    int size;
    int member[];
};

static void propose(struct knell__making *making, bool refuse)
{
    making->try.key = making->parent->id + making->kind;
    making->try.most = KNELL__SLOTS;
    knell__offer_make(&making->offer, &making->try);
    making->offer.refused = refuse;
    making->ticket = (struct knell__ticket){
        .group = making->parent->id,
        .kind = making->kind == KNELL__MAKE_SHRINK ? KNELL_KIND_SHRINK : KNELL_KIND_CREATE,
        .fold = KNELL__FOLD_OFFER,
        .alone = making->parent->size == 1,
        .size = sizeof making->offer,
    };
    memcpy(making->ticket.value, &making->offer, sizeof making->offer);
    knell__side_propose(&making->ticket);
}

struct knell__making *knell__making_start(struct knell__comm *parent, enum knell__make kind, const int *member,
                                          int size, MPI_Comm handle, int code)
{
    struct knell__making *making = calloc(1, sizeof *making + (size_t)parent->size * sizeof *making->member);
    if (!making)
        knell__die("out of memory");
    making->parent = parent;
    making->kind = kind;
    making->handle = handle;
    making->size = member ? size : parent->size;
    memcpy(making->member, member ? member : parent->process_of, (size_t)making->size * sizeof *member);
    knell__comm_hold(parent);
    propose(making, code != MPI_SUCCESS);
    return making;
}

void knell__making_hint(struct knell__making *making, const struct knell__hints *hints)
{
    making->hints = *hints;
}

/* ---- the decision ---------------------------------------------------------------------------------------------------------- */

static bool somebody_died(const struct knell__comm *comm, const struct knell__ticket *ticket)
{
    for (int i = 0; i < comm->size; i++)
        if (knell__ticket_has_dead(ticket, comm->process_of[i]))
            return true;
    return false;
}

int knell__creation_verdict(const struct knell__comm *comm, const struct knell__ticket *ticket)
{
    struct knell__offer agreed;
    memcpy(&agreed, ticket->value, sizeof agreed);
    if (ticket->flags & KNELL_FLAG_REVOKED)
        return MPIX_ERR_REVOKED;
    if (!somebody_died(comm, ticket) && !agreed.refused)
        return MPI_SUCCESS;
    return comm->hints.range == KNELL__RANGE_LOCAL ? MPIX_ERR_PROC_FAILED : MPIX_ERR_REVOKED;
}

static void keep_survivors(struct knell__making *making)
{
    int kept = 0;
    for (int i = 0; i < making->size; i++)
        if (!knell__ticket_has_dead(&making->ticket, making->member[i]))
            making->member[kept++] = making->member[i];
    making->size = kept;
}

/* Communicators of one split have one agreement and disjoint members. */
static uint64_t id_of(uint64_t agreed, int first_member)
{
    uint64_t x = agreed + ((uint64_t)first_member + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static struct knell__comm *build(struct knell__making *making, const struct knell__offer *agreed,
                                 const struct knell__place *place)
{
    if (making->kind == KNELL__MAKE_SHRINK)
        keep_survivors(making);
    if (making->size == 0) {
        knell__place_free(place, false);
        return NULL;
    }
    struct knell__comm *made =
        knell__comm_new(making->member, making->size, id_of(agreed->id, making->member[0]), place, making->handle);
    knell__hints_set(made, &making->hints);
    return made;
}

static void forget(struct knell__making *making, bool failed)
{
    if (failed) { /* the creation's error is raised, not that of an attribute's delete function */
        knell__native.comm_set_errhandler(making->handle, MPI_ERRORS_RETURN);
        knell__native.comm_free(&making->handle);
    }
    knell__comm_release(making->parent);
    free(making->ticket.dead);
    free(making);
}

/* ---- after the decision -------------------------------------------------------------------------------------------------------- */

/* Nothing in common: all members see that, and offer anew. */
static int try_again(struct knell__making *making, const struct knell__offer *agreed, bool *done)
{
    if (!knell__try_next(&making->try, agreed)) {
        forget(making, true);
        return MPI_ERR_INTERN;
    }
    free(making->ticket.dead);
    propose(making, false);
    *done = false;
    return MPI_SUCCESS;
}

int knell__making_advance(struct knell__making *making, bool *done, struct knell__comm **made)
{
    struct knell__offer agreed;
    struct knell__place place;
    *done = knell__side_decided(&making->ticket);
    if (!*done)
        return MPI_SUCCESS;
    bool shrinks = making->kind == KNELL__MAKE_SHRINK;
    int code = shrinks ? MPI_SUCCESS : knell__creation_verdict(making->parent, &making->ticket);
    memcpy(&agreed, making->ticket.value, sizeof agreed);
    if (code != MPI_SUCCESS) {
        knell__offer_withdraw(&making->offer);
        forget(making, true);
        return code;
    }
    if (!knell__offer_take(&making->offer, &agreed, &place))
        return try_again(making, &agreed, done);
    knell__past_drop(making->parent, &agreed);
    *made = build(making, &agreed, &place);
    forget(making, !*made);
    return MPI_SUCCESS;
}

int knell__making_finish(struct knell__making *making, struct knell__comm **made)
{
    const struct knell__comm *parent = making->parent; /* the making may be gone */
    bool done = false;
    int code;
    for (unsigned turns = 0; code = knell__making_advance(making, &done, made), !done;)
        knell__idle(&turns, parent);
    return code;
}

/* ---- behind a request ------------------------------------------------------------------------------------------------------ */

struct making_task {
    struct knell__task task;
    struct knell__making *making;
};

static int task_advance(struct knell__task *task, bool *done)
{
    struct knell__comm *made = NULL;
    return knell__making_advance(((struct making_task *)task)->making, done, &made);
}

static void task_release(struct knell__task *task)
{
    free(task);
}

/* The handle is given out at once and never written again: Open MPI's Fortran hands us a variable on its stack. */
int knell__making_request(struct knell__making *making, struct knell__comm *parent, MPI_Comm *newcomm,
                          MPI_Request *request)
{
    struct making_task *task = calloc(1, sizeof *task);
    if (!task)
        knell__die("out of memory");
    task->task = (struct knell__task){.advance = task_advance, .release = task_release};
    task->making = making;
    *newcomm = making->handle;
    return knell__request_token(parent, &task->task, request);
}
