/* agree.c: agreements under way. The core takes one per group and kind at a time; further ones wait here, in the order
 * they came, and are proposed by whoever waits for them: the fact of a decision comes with the runtime's lock held, when
 * nothing can be proposed. */
#include "mpi/detector/agree.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"
#include "mpi/context/context.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static struct side_ticket *first;

static void fold_and(uint8_t *into, const uint8_t *from, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        into[i] &= from[i];
}

static void fold_worst(uint8_t *into, const uint8_t *from, uint32_t size)
{
    int a = 0, b = 0;
    if (size != sizeof a)
        return;
    memcpy(&a, into, sizeof a);
    memcpy(&b, from, sizeof b);
    memcpy(into, a > b ? &a : &b, sizeof a);
}

_Static_assert(sizeof(struct offer) <= KNELL_VALUE_MAX, "an offer is more than an agreement carries");
knell_combine *const agree_folds[] = {
    [SIDE_FOLD_AND] = fold_and, [SIDE_FOLD_OFFER] = offer_fold, [SIDE_FOLD_WORST] = fold_worst};

static bool same(const struct side_ticket *ticket, uint64_t group, enum knell_kind kind)
{
    return ticket->group == group && ticket->kind == kind;
}

/* ---- in -------------------------------------------------------------------------------------------------------------------- */

static void enqueue(struct side_ticket *ticket)
{
    struct side_ticket **at = &first;
    ticket->next = NULL;
    lock_take(LOCK_AGREE);
    while (*at)
        at = &(*at)->next;
    *at = ticket;
    lock_give(LOCK_AGREE);
}

/* Takes the right to propose it: nobody before it in the queue is of the same group and kind. */
static bool claim(struct side_ticket *ticket)
{
    bool mine = ticket->filled && !ticket->proposed;
    lock_take(LOCK_AGREE);
    for (struct side_ticket *t = first; t != ticket && mine; t = t->next)
        mine = !same(t, ticket->group, ticket->kind);
    if (mine)
        ticket->proposed = true;
    lock_give(LOCK_AGREE);
    return mine;
}

static void decide_alone(struct side_ticket *ticket)
{
    ticket->flags = KNELL_FLAG_ACKED;
    atomic_store_explicit(&ticket->decided, true, memory_order_release);
}

static bool is_alone(const struct side_ticket *ticket)
{
    return ticket->alone || !side_runtime();
}

void side_reserve(struct side_ticket *ticket)
{
    ticket->filled = ticket->proposed = false;
    ticket->dead = NULL;
    ticket->dead_ranges = 0;
    atomic_store(&ticket->decided, false);
    if (!is_alone(ticket))
        enqueue(ticket);
}

void side_fill(struct side_ticket *ticket)
{
    ticket->filled = true;
    if (is_alone(ticket))
        decide_alone(ticket);
    else
        side_decided(ticket);
}

void side_propose(struct side_ticket *ticket)
{
    side_reserve(ticket);
    side_fill(ticket);
}

/* A step before it, a step after it: between a proposal and its decision is where the others may not do without a process. */
static void propose(struct side_ticket *ticket)
{
    layer_step();
    if (ticket->blocking)
        carry_begin();
    lock_check(LOCK_RUNTIME);
    int error = knell_runtime_propose(side_runtime(), ticket->group, ticket->kind, (uint8_t)ticket->fold, ticket->value,
                                      ticket->size, ticket->acked);
    if (error)
        layer_die("cannot propose to group %llx: %s", (unsigned long long)ticket->group, knell_error_text(error));
    if (ticket->blocking)
        carry_end();
    layer_step();
}

bool side_decided(struct side_ticket *ticket)
{
    if (atomic_load_explicit(&ticket->decided, memory_order_acquire))
        return true;
    if (!ticket->proposed && claim(ticket))
        propose(ticket);
    else
        carry_serve(); /* also keeps the MPI below going: another member may still wait for what was sent from here */
    return atomic_load_explicit(&ticket->decided, memory_order_acquire);
}

bool agree_waits(uint64_t group, enum knell_kind kind)
{
    struct side_ticket *ticket;
    lock_take(LOCK_AGREE);
    for (ticket = first; ticket && !(ticket->proposed && same(ticket, group, kind));)
        ticket = ticket->next;
    bool waits = ticket && ticket->blocking;
    lock_give(LOCK_AGREE);
    return waits;
}

/* ---- out ------------------------------------------------------------------------------------------------------------------- */

static struct side_ticket *dequeue(uint64_t group, enum knell_kind kind)
{
    struct side_ticket **at = &first, *found;
    while (*at && !((*at)->proposed && same(*at, group, kind)))
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    return found;
}

static void fill(struct side_ticket *ticket, const struct knell_fact *fact)
{
    size_t bytes = fact->dead_ranges * sizeof *fact->dead;
    ticket->flags = fact->flags;
    if (fact->value_size && fact->value_size <= sizeof ticket->value)
        memcpy(ticket->value, fact->value, fact->value_size);
    ticket->dead = bytes ? malloc(bytes) : NULL;
    if (bytes && !ticket->dead)
        layer_die("out of memory");
    if (bytes)
        memcpy(ticket->dead, fact->dead, bytes);
    ticket->dead_ranges = fact->dead_ranges;
}

void agree_decided(const struct knell_fact *fact)
{
    lock_take(LOCK_AGREE);
    struct side_ticket *ticket = dequeue(fact->group, fact->kind);
    lock_give(LOCK_AGREE);
    if (!ticket)
        return;
    fill(ticket, fact);
    atomic_store_explicit(&ticket->decided, true, memory_order_release);
}

/* One that is not in the queue any more is just being filled, by another thread. */
void side_withdraw(struct side_ticket *ticket)
{
    struct side_ticket **at = &first;
    lock_take(LOCK_AGREE);
    while (*at && *at != ticket)
        at = &(*at)->next;
    bool queued = *at != NULL;
    if (queued)
        *at = ticket->next;
    lock_give(LOCK_AGREE);
    while (!queued && !atomic_load_explicit(&ticket->decided, memory_order_acquire))
        sched_yield();
}

bool side_ticket_has_dead(const struct side_ticket *ticket, int process)
{
    for (uint32_t i = 0; i < ticket->dead_ranges; i++)
        if (ticket->dead[i].first <= (knell_rank)process && (knell_rank)process <= ticket->dead[i].last)
            return true;
    return false;
}
