/* exchange.h: one process (or thread) of an exchange: it sends `numbers` messages to each of the others, receives as many of each,
 * and checks every byte, while others die. It relies on hints, and on a sweep when it is told of a death; so a lost hint shows. */
#ifndef KNELL_TEST_CARRIER_EXCHANGE_H
#define KNELL_TEST_CARRIER_EXCHANGE_H

#include "message.h"
#include "util/prng.h"

#include <knell/carrier.h>
#include <stdatomic.h>

enum { PEERS = 8, NUMBERS = 640, OUTSTANDING = 12 };
/* Who has seen nothing move for so long says who waits for what: long, since the machine may be full of others' work. */
enum { LIMIT_S = 120 };

/* What all of them write down for whoever compares it afterwards; relaxed, so that it orders nothing that the carrier must. */
struct ledger_pair {
    _Atomic uint32_t begun, done; /* calls that put a message into the ring: begun; returned with 0 */
    _Atomic uint32_t seen;        /* messages of the ring that the reader has checked */
    _Atomic uint32_t lost;        /* pulls that said that the sender is gone */
    _Atomic uint8_t got[NUMBERS], withdrawn[NUMBERS];
};

struct ledger {
    _Atomic bool dead[PEERS]; /* ended and waited for */
    _Atomic uint64_t steps[PEERS];
    struct ledger_pair pair[PEERS][PEERS]; /* [to][from] */
};

/* An offer or a question that is under way. */
struct sent {
    uint64_t ticket; /* 0: this place is free */
    unsigned number;
    struct message message;
    uint8_t *data;
};

struct outgoing {
    unsigned next;
    struct sent sent[OUTSTANDING];
    bool in_pieces;
    struct sent pieces; /* what goes in pieces now */
    size_t offset;
};

struct incoming {
    unsigned next;
    struct knell_carrier_message held[NUMBERS]; /* offers that nobody has decided on yet */
    unsigned helds;
    uint64_t asked[NUMBERS]; /* tickets of offers that were asked for in pieces, by number */
    unsigned askeds;
    bool coming; /* in pieces */
    unsigned coming_number;
    size_t offset;
    bool swept; /* dead, and its ring is empty */
};

struct exchange {
    struct knell_carrier *carrier;
    struct ledger *ledger;
    unsigned me, processes, numbers;
    uint64_t seed;
    bool wrong; /* something was, and has been said */
    bool dead[PEERS];
    struct knell_prng random;
    struct outgoing out[PEERS];
    struct incoming in[PEERS];
};

/* True if all that was to come came, and all that was to go went; else it has said what is wrong, or who waits for what. */
bool exchange_run(struct exchange *exchange);

/* ---- within ------------------------------------------------------------------------------------------------------------------- */

void exchange_complain(struct exchange *exchange, unsigned peer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool exchange_send_some(struct exchange *exchange, unsigned to);
void exchange_give_up(struct exchange *exchange, unsigned to);
bool exchange_take_some(struct exchange *exchange, unsigned from);
bool exchange_decide_some(struct exchange *exchange, unsigned from);
bool exchange_is_sent(const struct exchange *exchange, unsigned to);
bool exchange_is_received(const struct exchange *exchange, unsigned from);

static inline void ledger_add(_Atomic uint32_t *word, int by)
{
    atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) + (uint32_t)by, memory_order_relaxed);
}

#endif
