/* exchange_in.c: what a process receives: in order, whole, and as it was sent. */
#include "exchange.h"

#include <stdlib.h>

static struct ledger_pair *ledger_of(struct exchange *exchange, unsigned from)
{
    return &exchange->ledger->pair[exchange->me][from];
}

static struct message sent_by(struct exchange *exchange, unsigned from, unsigned number)
{
    return message_of(exchange->seed, from, exchange->me, number);
}

static void got(struct exchange *exchange, unsigned from, unsigned number)
{
    if (atomic_exchange_explicit(&ledger_of(exchange, from)->got[number], 1, memory_order_relaxed))
        exchange_complain(exchange, from, "message %u came twice", number);
}

/* ---- out of the sender's memory ------------------------------------------------------------------------------------------------- */

static void want_pieces(struct exchange *exchange, unsigned from, const struct knell_carrier_message *offer)
{
    struct incoming *in = &exchange->in[from];
    in->asked[offer->head.tag] = offer->ticket;
    in->askeds++;
    knell_carrier_answer(exchange->carrier, from, offer->ticket, KNELL_CARRIER_PIECES);
}

static void pull(struct exchange *exchange, unsigned from, const struct knell_carrier_message *offer,
                 const struct message *message)
{
    unsigned number = (unsigned)offer->head.tag;
    uint8_t *into = malloc(message->size + 1);
    if (!into)
        abort();
    int code = knell_carrier_pull(exchange->carrier, from, offer->address, into, message->size);
    if (code == KNELL_CARRIER_FORBIDDEN) {
        want_pieces(exchange, from, offer);
    } else if (code == KNELL_CARRIER_LOST) {
        ledger_add(&ledger_of(exchange, from)->lost, 1);
    } else {
        if (!message_is(message, into, 0, message->size))
            exchange_complain(exchange, from, "message %u was pulled wrong", number);
        if (exchange->dead[from] && message->size > 0)
            exchange_complain(exchange, from, "message %u was pulled from the dead", number);
        got(exchange, from, number);
        knell_carrier_answer(exchange->carrier, from, offer->ticket, KNELL_CARRIER_DONE);
    }
    free(into);
}

static void decide(struct exchange *exchange, unsigned from, const struct knell_carrier_message *offer)
{
    unsigned number = (unsigned)offer->head.tag;
    struct message message = sent_by(exchange, from, number);
    if (!knell_carrier_accept(exchange->carrier, from, offer->ticket)) {
        if (message.way != WAY_WITHDRAWN)
            exchange_complain(exchange, from, "message %u cannot be taken", number);
    } else if (message.way == WAY_OFFERED_PIECES) {
        want_pieces(exchange, from, offer);
    } else {
        pull(exchange, from, offer, &message);
    }
}

bool exchange_decide_some(struct exchange *exchange, unsigned from)
{
    struct incoming *in = &exchange->in[from];
    unsigned left = 0;
    for (unsigned i = 0; i < in->helds; i++)
        if (!exchange->dead[from] && knell_prng_below(&exchange->random, 3) == 0)
            in->held[left++] = in->held[i];
        else
            decide(exchange, from, &in->held[i]);
    bool moved = left < in->helds;
    in->helds = left;
    return moved;
}

/* ---- out of the ring ------------------------------------------------------------------------------------------------------------ */

static void take_piece(struct exchange *exchange, unsigned from, const struct knell_carrier_message *found)
{
    struct incoming *in = &exchange->in[from];
    struct message message = sent_by(exchange, from, in->coming_number);
    if (!in->coming || !message_is(&message, found->data, in->offset, found->bytes))
        exchange_complain(exchange, from, "a wrong piece, of message %u at %zu", in->coming_number, in->offset);
    in->offset += found->bytes;
    if (in->coming && in->offset == message.size) {
        in->coming = false;
        got(exchange, from, in->coming_number);
    }
}

/* Ticket 0: it is the next message; else one that was asked for. */
static void take_begin(struct exchange *exchange, unsigned from, const struct knell_carrier_message *found)
{
    struct incoming *in = &exchange->in[from];
    unsigned number = (unsigned)found->head.tag;
    if (in->coming)
        exchange_complain(exchange, from, "message %u begins before message %u ends", number, in->coming_number);
    if (found->ticket && in->asked[number] != found->ticket)
        exchange_complain(exchange, from, "message %u was not asked for in pieces", number);
    in->askeds -= found->ticket != 0;
    in->coming_number = number;
    in->offset = 0;
    in->coming = found->size > 0;
    if (!in->coming)
        got(exchange, from, number);
}

static void take_whole(struct exchange *exchange, unsigned from, const struct knell_carrier_message *found,
                       const struct message *message)
{
    if (found->bytes != message->size || !message_is(message, found->data, 0, found->bytes))
        exchange_complain(exchange, from, "message %d has wrong bytes", found->head.tag);
    if (found->kind == KNELL_CARRIER_ASKS && !knell_carrier_accept(exchange->carrier, from, found->ticket))
        exchange_complain(exchange, from, "message %d cannot be taken", found->head.tag);
    got(exchange, from, (unsigned)found->head.tag);
    if (found->kind == KNELL_CARRIER_ASKS)
        knell_carrier_answer(exchange->carrier, from, found->ticket, KNELL_CARRIER_DONE);
}

static bool fits(enum knell_carrier_kind kind, enum message_way way)
{
    static const enum knell_carrier_kind of[] = {KNELL_CARRIER_DATA,  KNELL_CARRIER_ASKS,  KNELL_CARRIER_OFFER,
                                                 KNELL_CARRIER_BEGIN, KNELL_CARRIER_OFFER, KNELL_CARRIER_OFFER};
    return of[way] == kind;
}

/* The next in the order of its sender. */
static void take_next(struct exchange *exchange, unsigned from, const struct knell_carrier_message *found)
{
    struct incoming *in = &exchange->in[from];
    struct message message = sent_by(exchange, from, in->next);
    if (found->head.tag != (int32_t)in->next || found->head.context != message.way || !fits(found->kind, message.way) ||
        found->size != message.size || in->next >= exchange->numbers) {
        exchange_complain(exchange, from, "message %d (kind %d) of %llu bytes came; next is message %u: %s, %zu bytes",
                          found->head.tag, (int)found->kind, (unsigned long long)found->size, in->next,
                          message_way_name(message.way), message.size);
        return;
    }
    in->next++;
    if (found->kind == KNELL_CARRIER_OFFER)
        in->held[in->helds++] = *found;
    else if (found->kind == KNELL_CARRIER_BEGIN)
        take_begin(exchange, from, found);
    else
        take_whole(exchange, from, found, &message);
}

static void take(struct exchange *exchange, unsigned from, const struct knell_carrier_message *found)
{
    if (found->kind == KNELL_CARRIER_PIECE)
        take_piece(exchange, from, found);
    else if (found->kind == KNELL_CARRIER_BEGIN && found->ticket)
        take_begin(exchange, from, found);
    else
        take_next(exchange, from, found);
}

/* Some of what is there; if that is not all, a sweep brings the reader back. */
bool exchange_take_some(struct exchange *exchange, unsigned from)
{
    struct knell_carrier_message found;
    unsigned most = 1 + (unsigned)knell_prng_below(&exchange->random, 16), taken = 0;
    while (!exchange->wrong && knell_carrier_look(exchange->carrier, from, &found)) {
        if (taken++ == most) {
            knell_carrier_sweep(exchange->carrier, from);
            return true;
        }
        take(exchange, from, &found);
        ledger_add(&ledger_of(exchange, from)->seen, 1);
        knell_carrier_pass(exchange->carrier, from);
    }
    exchange->in[from].swept = exchange->dead[from];
    return taken > 0;
}

bool exchange_is_received(const struct exchange *exchange, unsigned from)
{
    const struct incoming *in = &exchange->in[from];
    if (exchange->dead[from])
        return in->swept && in->helds == 0;
    return in->next == exchange->numbers && in->helds == 0 && in->askeds == 0 && !in->coming;
}
