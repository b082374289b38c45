/* ticket.c: the words by which the receiver of a message answers its sender. They lie in the sender's part of the memory.
 *
 * A ticket is its index and the generation of its use: a receiver that holds one of an earlier use finds another word there. */
#include "carrier/carrier.h"

enum { STATE_BITS = 3 };

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
    return &carrier->process[owner].ticket[index_of(ticket)].word;
}

static enum knell_carrier_state state_of(const struct knell_carrier *carrier, unsigned owner, uint64_t ticket)
{
    uint64_t word = atomic_load_explicit(place_of(carrier, owner, ticket), memory_order_acquire);
    return word >> STATE_BITS == generation_of(ticket) ? (enum knell_carrier_state)(word & ((1 << STATE_BITS) - 1))
                                                       : KNELL_CARRIER_FREE;
}

/* ---- the sender's ---------------------------------------------------------------------------------------------------------------- */

uint64_t knell__carrier_ticket(struct knell_carrier *carrier)
{
    for (unsigned tries = 0; tries < TICKETS; tries++) {
        unsigned at = (carrier->ticket_free + tries) % TICKETS;
        if (carrier->ticket_generation[at])
            continue;
        carrier->ticket_generation[at] = ++carrier->generation;
        carrier->ticket_free = at; /* the lowest are used again and again: few lines are touched */
        uint64_t ticket = carrier->generation << TICKET_BITS | at;
        STEP();
        atomic_store_explicit(place_of(carrier, carrier->me, ticket), word_of(ticket, KNELL_CARRIER_OFFERED),
                              memory_order_release);
        STEP();
        return ticket;
    }
    return 0;
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
    if (at < carrier->ticket_free)
        carrier->ticket_free = at;
}

bool knell_carrier_withdraw(struct knell_carrier *carrier, uint64_t ticket)
{
    uint64_t offered = word_of(ticket, KNELL_CARRIER_OFFERED);
    STEP();
    if (!atomic_compare_exchange_strong(place_of(carrier, carrier->me, ticket), &offered,
                                        word_of(ticket, KNELL_CARRIER_FREE)))
        return false;
    STEP();
    knell_carrier_end(carrier, ticket);
    return true;
}

/* ---- the receiver's ---------------------------------------------------------------------------------------------------------------- */

enum knell_carrier_state knell_carrier_asked(const struct knell_carrier *carrier, unsigned from, uint64_t ticket)
{
    return state_of(carrier, from, ticket);
}

bool knell_carrier_accept(struct knell_carrier *carrier, unsigned from, uint64_t ticket)
{
    uint64_t offered = word_of(ticket, KNELL_CARRIER_OFFERED);
    STEP();
    bool mine =
        atomic_compare_exchange_strong(place_of(carrier, from, ticket), &offered, word_of(ticket, KNELL_CARRIER_TAKEN));
    STEP();
    return mine;
}

/* The sender may have given up a receiver that it takes for dead: its ticket is another one then, or free, and stays so. */
void knell_carrier_answer(struct knell_carrier *carrier, unsigned from, uint64_t ticket, enum knell_carrier_state state)
{
    uint64_t taken = word_of(ticket, KNELL_CARRIER_TAKEN);
    STEP();
    atomic_compare_exchange_strong(place_of(carrier, from, ticket), &taken, word_of(ticket, state));
    STEP();
}
