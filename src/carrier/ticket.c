/* ticket.c: the words by which the receiver of a message answers its sender. They lie in the sender's part of the memory.
 *
 * A ticket is its index and the generation of its use: a receiver that holds one of an earlier use finds another word there. */
#include "carrier/carrier.h"

enum { STATE_BITS = 3 };
_Static_assert(KNELL_CARRIER_MATCHED < 1 << STATE_BITS, "a state fits");

static uint64_t generation_of(uint64_t ticket)
{
    return ticket >> TICKET_BITS;
}

static unsigned index_of(uint64_t ticket)
{
    return (unsigned)(ticket % TICKETS);
}

static uint64_t word_of(uint64_t ticket, enum knell_carrier_state state)
{
    return generation_of(ticket) << STATE_BITS | state;
}

static _Atomic uint64_t *place_of(const struct knell_carrier *carrier, unsigned owner, uint64_t ticket)
{
    unsigned at = index_of(ticket);
    return &carrier->process[owner].ticket[at % TICKET_LINES].word[at / TICKET_LINES];
}

static enum knell_carrier_state state_of(const struct knell_carrier *carrier, unsigned owner, uint64_t ticket)
{
    uint64_t word = atomic_load_explicit(place_of(carrier, owner, ticket), memory_order_acquire);
    return word >> STATE_BITS == generation_of(ticket) ? (enum knell_carrier_state)(word & ((1 << STATE_BITS) - 1))
                                                       : KNELL_CARRIER_FREE;
}

/* Where both sides may change a word. */
static bool change(const struct knell_carrier *carrier, unsigned owner, uint64_t ticket, enum knell_carrier_state from,
                   enum knell_carrier_state to)
{
    uint64_t word = word_of(ticket, from);
    STEP();
    bool changed = atomic_compare_exchange_strong(place_of(carrier, owner, ticket), &word, word_of(ticket, to));
    STEP();
    return changed;
}

/* ---- the sender's ---------------------------------------------------------------------------------------------------------------- */

/* The one that was given back last is used again first: few lines are touched. False: all are in use. */
static bool take_free(struct knell_carrier *carrier, unsigned *at)
{
    if (carrier->ticket_free) {
        *at = carrier->ticket_free - 1;
        carrier->ticket_free = carrier->ticket_next[*at];
        return true;
    }
    *at = carrier->tickets_used;
    if (*at == TICKETS)
        return false;
    carrier->tickets_used++;
    return true;
}

uint64_t knell__carrier_ticket(struct knell_carrier *carrier)
{
    unsigned at;
    if (!take_free(carrier, &at))
        return 0;
    carrier->ticket_generation[at] = ++carrier->generation;
    uint64_t ticket = carrier->generation << TICKET_BITS | at;
    STEP();
    atomic_store_explicit(place_of(carrier, carrier->me, ticket), word_of(ticket, KNELL_CARRIER_OFFERED),
                          memory_order_release);
    STEP();
    return ticket;
}

enum knell_carrier_state knell_carrier_state(const struct knell_carrier *carrier, uint64_t ticket)
{
    return state_of(carrier, carrier->me, ticket);
}

void knell_carrier_end(struct knell_carrier *carrier, uint64_t ticket)
{
    unsigned at = index_of(ticket);
    if (carrier->ticket_generation[at] != generation_of(ticket))
        return;
    atomic_store_explicit(place_of(carrier, carrier->me, ticket), word_of(ticket, KNELL_CARRIER_FREE),
                          memory_order_release);
    STEP();
    carrier->ticket_generation[at] = 0;
    carrier->ticket_next[at] = carrier->ticket_free;
    carrier->ticket_free = at + 1;
}

bool knell_carrier_withdraw(struct knell_carrier *carrier, uint64_t ticket)
{
    if (!change(carrier, carrier->me, ticket, KNELL_CARRIER_OFFERED, KNELL_CARRIER_FREE))
        return false;
    knell_carrier_end(carrier, ticket);
    return true;
}

bool knell_carrier_give_up(struct knell_carrier *carrier, uint64_t ticket)
{
    if (!change(carrier, carrier->me, ticket, KNELL_CARRIER_OFFERED, KNELL_CARRIER_FREE) &&
        !change(carrier, carrier->me, ticket, KNELL_CARRIER_MATCHED, KNELL_CARRIER_FREE))
        return false;
    knell_carrier_end(carrier, ticket);
    return true;
}

/* ---- the receiver's ---------------------------------------------------------------------------------------------------------------- */

enum knell_carrier_state knell_carrier_asked(const struct knell_carrier *carrier, unsigned from, uint64_t ticket)
{
    return state_of(carrier, from, ticket);
}

bool knell_carrier_match(struct knell_carrier *carrier, unsigned from, uint64_t ticket)
{
    return change(carrier, from, ticket, KNELL_CARRIER_OFFERED, KNELL_CARRIER_MATCHED);
}

bool knell_carrier_accept(struct knell_carrier *carrier, unsigned from, uint64_t ticket)
{
    return change(carrier, from, ticket, KNELL_CARRIER_OFFERED, KNELL_CARRIER_TAKEN) ||
           change(carrier, from, ticket, KNELL_CARRIER_MATCHED, KNELL_CARRIER_TAKEN);
}

/* The sender may have given up a receiver that it takes for dead: its ticket is another one then, or free, and stays so. */
void knell_carrier_answer(struct knell_carrier *carrier, unsigned from, uint64_t ticket, enum knell_carrier_state state)
{
    change(carrier, from, ticket, KNELL_CARRIER_TAKEN, state);
}
