/* anytag.c: see anytag.h. */
#include "mpi/p2p/anytag.h"
#include "mpi/abandon/discard.h"
#include "mpi/p2p/matching.h"

#include <stdlib.h>

/* A message taken off its context. */
struct aside {
    struct aside *next; /* in the order of arrival */
    MPI_Comm context;
    MPI_Message message;
    MPI_Status status;
};

/* LOCK_MATCHING. */
static struct {
    struct aside *first_aside, **last_aside;
    struct pick *first_pick;
} matching = {.last_aside = &matching.first_aside};

/* ---- what is set aside ----------------------------------------------------------------------------------------------------- */

static int stamp_of(int tag)
{
    return tag - tag % (context_tag_ub + 1);
}

static bool is_for(const struct aside *aside, const struct place *place)
{
    return aside->context == place->context && stamp_of(aside->status.MPI_TAG) == place->stamp;
}

static bool fits(const struct aside *aside, const struct comm *comm, const struct p2p_end *from)
{
    return is_for(aside, &comm->place) &&
           (from->native == MPI_ANY_SOURCE || from->native == aside->status.MPI_SOURCE) &&
           (from->tag == MPI_ANY_TAG || from->tag == aside->status.MPI_TAG);
}

/* Where the first that fits hangs; NULL: none. */
static struct aside **find(const struct comm *comm, const struct p2p_end *from)
{
    for (struct aside **at = &matching.first_aside; *at; at = &(*at)->next)
        if (fits(*at, comm, from))
            return at;
    return NULL;
}

static struct aside take(struct aside **at)
{
    struct aside *found = *at, copy = *found;
    *at = found->next;
    if (matching.last_aside == &found->next)
        matching.last_aside = at;
    free(found);
    return copy;
}

static void discard(struct aside **at)
{
    struct aside unwanted = take(at);
    discard_message(&unwanted.message, &unwanted.status);
}

/* Of communicators that are gone: nobody will ask for them. One that is being made here may be known to its sender already. */
static void discard_stale(void)
{
    for (struct aside **at = &matching.first_aside; *at;)
        if (place_expected((*at)->context, (*at)->status.MPI_TAG))
            at = &(*at)->next;
        else
            discard(at);
}

/* Takes the next message off the context, whosever it is. False: there is none. */
static bool pull(MPI_Comm context)
{
    struct aside found = {.context = context};
    int flag = 0;
    native.improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, context, &flag, &found.message, &found.status);
    if (!flag)
        return false;
    struct aside *made = malloc(sizeof *made);
    if (!made)
        layer_die("out of memory");
    *made = found;
    *matching.last_aside = made;
    matching.last_aside = &made->next;
    discard_stale();
    return true;
}

/* ---- picks ----------------------------------------------------------------------------------------------------------------- */

static void unlink_pick(struct pick *pick)
{
    struct pick **at = &matching.first_pick;
    while (*at && *at != pick)
        at = &(*at)->next;
    if (*at)
        *at = pick->next;
}

static void append(struct pick *pick)
{
    struct pick **at = &matching.first_pick;
    while (*at)
        at = &(*at)->next;
    pick->next = NULL;
    *at = pick;
}

static void give(struct pick *pick, struct aside **at)
{
    struct aside found = take(at);
    unlink_pick(pick);
    pick->sender = found.status.MPI_SOURCE;
    pick->code = native.imrecv(pick->buffer, pick->count, pick->type, &found.message, &pick->request);
    pick->matched = true;
}

/* What is there goes to the first who wants it. */
static void match(void)
{
    for (struct pick *pick = matching.first_pick, *next; pick; pick = next) {
        struct aside **at = find(pick->op.comm, &pick->from);
        next = pick->next;
        if (at)
            give(pick, at);
    }
}

static bool one_waits(const struct comm *comm)
{
    for (const struct pick *pick = matching.first_pick; pick; pick = pick->next)
        if (pick->op.comm == comm)
            return true;
    return false;
}

/* The MPI below cannot match it, or must not: others come before. */
static bool is_ours(const struct comm *comm, const struct p2p_end *from)
{
    return from->native != MPI_PROC_NULL && (from->tag == MPI_ANY_TAG || one_waits(comm));
}

static bool post_natively(const struct pick *pick, MPI_Request *request, int *code)
{
    const struct comm *comm = pick->op.comm;
    if (is_ours(comm, &pick->from) || find(comm, &pick->from))
        return false;
    *code = native.irecv(pick->buffer, pick->count, pick->type, pick->from.native, pick->from.tag, comm->place.context,
                         request);
    return true;
}

static bool turn(struct pick *pick)
{
    if (!pick->matched)
        match();
    while (!pick->matched && pull(pick->op.comm->place.context))
        match();
    return pick->matched;
}

void pick_post(struct pick *pick)
{
    matching_enter();
    pick->sender = pick->from.peer;
    pick->matched = post_natively(pick, &pick->request, &pick->code);
    if (!pick->matched) {
        append(pick);
        turn(pick);
    }
    matching_leave();
}

bool pick_turn(struct pick *pick)
{
    matching_enter();
    bool matched = turn(pick);
    matching_leave();
    if (matched && pick->op.peer != pick->sender)
        pick->op = op_begin(pick->op.comm, pick->sender, REQUEST_RECV);
    return matched;
}

bool pick_withdraw(struct pick *pick)
{
    matching_enter();
    bool waits = !pick->matched;
    if (waits)
        unlink_pick(pick);
    matching_leave();
    return waits;
}

/* ---- others that look ------------------------------------------------------------------------------------------------------ */

bool anytag_irecv(const struct pick *pick, MPI_Request *request, int *code)
{
    matching_enter();
    bool posted = post_natively(pick, request, code);
    matching_leave();
    return posted;
}

static void show(struct aside **at, MPI_Message *message, MPI_Status *status)
{
    *status = (*at)->status;
    if (message)
        *message = take(at).message;
}

/* Picks that wait get theirs first. */
int anytag_probe(struct comm *comm, const struct p2p_end *from, int *flag, MPI_Message *message, MPI_Status *status)
{
    int code = MPI_SUCCESS;
    struct aside **at;
    matching_enter();
    match();
    bool ours = is_ours(comm, from);
    while (!(at = find(comm, from)) && ours && pull(comm->place.context))
        match();
    *flag = at != NULL;
    if (at)
        show(at, message, status);
    else if (!ours)
        code = message ? native.improbe(from->native, from->tag, comm->place.context, flag, message, status)
                       : native.iprobe(from->native, from->tag, comm->place.context, flag, status);
    matching_leave();
    return code;
}

void anytag_discard(int source, int tag, MPI_Comm context)
{
    matching_enter();
    for (struct aside **at = &matching.first_aside; *at;)
        if ((*at)->context == context && (*at)->status.MPI_SOURCE == source && (*at)->status.MPI_TAG == tag)
            discard(at);
        else
            at = &(*at)->next;
    matching_leave();
}

void anytag_forget(const struct comm *comm)
{
    if (!comm->place.stamp)
        return;
    matching_enter();
    for (struct aside **at = &matching.first_aside; *at;)
        if (is_for(*at, &comm->place))
            discard(at);
        else
            at = &(*at)->next;
    matching_leave();
}
