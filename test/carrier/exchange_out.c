/* exchange_out.c: what a process sends. Memory is scribbled over as soon as the carrier says that it may be. */
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

static struct ledger_pair *ledger_of(struct exchange *exchange, unsigned to)
{
    return &exchange->ledger->pair[to][exchange->me];
}

static struct knell_carrier_head head_of(const struct sent *sent)
{
    return (struct knell_carrier_head){sent->message.way, (int32_t)sent->number};
}

static void release(struct sent *sent)
{
    if (sent->data)
        memset(sent->data, 0xee, sent->message.size);
    free(sent->data);
    *sent = (struct sent){0};
}

static uint8_t *data_of(const struct message *message)
{
    uint8_t *data = malloc(message->size + 1);
    if (!data)
        abort();
    message_fill(message, data);
    return data;
}

/* Writes down what a call does before it, and after. */
static bool went(struct exchange *exchange, unsigned to, int code)
{
    struct ledger_pair *pair = ledger_of(exchange, to);
    ledger_add(code == 0 ? &pair->done : &pair->begun, code == 0 ? 1 : -1);
    return code == 0;
}
#define CALL(call) (ledger_add(&ledger_of(exchange, to)->begun, 1), went(exchange, to, (call)))

/* ---- pieces --------------------------------------------------------------------------------------------------------------------- */

static bool begin_pieces(struct exchange *exchange, unsigned to, struct sent *sent)
{
    struct outgoing *out = &exchange->out[to];
    struct knell_carrier_head head = head_of(sent);
    if (!CALL(knell_carrier_begin(exchange->carrier, to, &head, sent->message.size, sent->ticket)))
        return false;
    out->pieces = *sent;
    *sent = (struct sent){0};
    out->in_pieces = true;
    out->offset = 0;
    return true;
}

static bool send_piece(struct exchange *exchange, unsigned to)
{
    struct outgoing *out = &exchange->out[to];
    size_t left = out->pieces.message.size - out->offset;
    size_t size = left < KNELL_CARRIER_MOST ? left : KNELL_CARRIER_MOST;
    if (size > 0 && !CALL(knell_carrier_piece(exchange->carrier, to, out->pieces.data + out->offset, size)))
        return false;
    out->offset += size;
    if (out->offset == out->pieces.message.size) {
        if (out->pieces.ticket)
            knell_carrier_end(exchange->carrier, out->pieces.ticket);
        release(&out->pieces);
        out->in_pieces = false;
    }
    return true;
}

/* ---- answers -------------------------------------------------------------------------------------------------------------------- */

static bool try_to_withdraw(struct exchange *exchange, unsigned to, struct sent *sent)
{
    if (sent->message.way != WAY_WITHDRAWN || knell_prng_below(&exchange->random, 2) ||
        !knell_carrier_withdraw(exchange->carrier, sent->ticket))
        return false;
    atomic_store_explicit(&ledger_of(exchange, to)->withdrawn[sent->number], 1, memory_order_relaxed);
    release(sent);
    return true;
}

static bool finish(struct exchange *exchange, unsigned to, struct sent *sent)
{
    if (!atomic_load_explicit(&ledger_of(exchange, to)->got[sent->number], memory_order_relaxed))
        exchange_complain(exchange, to, "message %u is done, and its receiver does not have it", sent->number);
    knell_carrier_end(exchange->carrier, sent->ticket);
    release(sent);
    return true;
}

static bool look_at(struct exchange *exchange, unsigned to, struct sent *sent)
{
    switch (knell_carrier_state(exchange->carrier, sent->ticket)) {
    case KNELL_CARRIER_OFFERED:
        return try_to_withdraw(exchange, to, sent);
    case KNELL_CARRIER_TAKEN:
        return false;
    case KNELL_CARRIER_DONE:
        return finish(exchange, to, sent);
    case KNELL_CARRIER_PIECES:
        return begin_pieces(exchange, to, sent);
    case KNELL_CARRIER_FREE:
    case KNELL_CARRIER_MATCHED:
        break;
    }
    exchange_complain(exchange, to, "the ticket of message %u is nobody's any more", sent->number);
    return false;
}

/* ---- new ones ------------------------------------------------------------------------------------------------------------------- */

static bool put(struct exchange *exchange, unsigned to, struct sent *sent)
{
    struct knell_carrier *carrier = exchange->carrier;
    struct knell_carrier_head head = head_of(sent);
    size_t size = sent->message.size;
    switch (sent->message.way) {
    case WAY_SEND:
        return CALL(knell_carrier_send(carrier, to, &head, sent->data, size));
    case WAY_ASK:
        return CALL(knell_carrier_ask(carrier, to, &head, sent->data, size, &sent->ticket));
    case WAY_PIECES:
        return begin_pieces(exchange, to, sent);
    default:
        return CALL(knell_carrier_offer(carrier, to, &head, sent->data, size, &sent->ticket));
    }
}

static bool send_next(struct exchange *exchange, unsigned to)
{
    struct outgoing *out = &exchange->out[to];
    unsigned place = 0;
    while (place < OUTSTANDING && out->sent[place].ticket)
        place++;
    if (out->next == exchange->numbers || place == OUTSTANDING)
        return false;
    struct sent sent = {.number = out->next, .message = message_of(exchange->seed, exchange->me, to, out->next)};
    sent.data = data_of(&sent.message);
    if (!put(exchange, to, &sent)) {
        release(&sent);
        return false;
    }
    out->next++;
    if (sent.message.way == WAY_ASK) { /* it has been copied */
        memset(sent.data, 0xee, sent.message.size);
        free(sent.data);
        sent.data = NULL;
    }
    if (sent.ticket)
        out->sent[place] = sent;
    else
        release(&sent);
    return true;
}

bool exchange_send_some(struct exchange *exchange, unsigned to)
{
    struct outgoing *out = &exchange->out[to];
    bool moved = false;
    for (unsigned tries = 1 + (unsigned)knell_prng_below(&exchange->random, 8); tries > 0; tries--)
        moved |= out->in_pieces ? send_piece(exchange, to) : send_next(exchange, to);
    for (unsigned i = 0; i < OUTSTANDING && !out->in_pieces; i++)
        if (out->sent[i].ticket)
            moved |= look_at(exchange, to, &out->sent[i]);
    return moved;
}

/* Its receiver is dead. */
void exchange_give_up(struct exchange *exchange, unsigned to)
{
    struct outgoing *out = &exchange->out[to];
    for (unsigned i = 0; i < OUTSTANDING; i++) {
        if (out->sent[i].ticket)
            knell_carrier_end(exchange->carrier, out->sent[i].ticket);
        release(&out->sent[i]);
    }
    if (out->in_pieces && out->pieces.ticket)
        knell_carrier_end(exchange->carrier, out->pieces.ticket);
    release(&out->pieces);
    out->in_pieces = false;
}

bool exchange_is_sent(const struct exchange *exchange, unsigned to)
{
    const struct outgoing *out = &exchange->out[to];
    bool under_way = out->in_pieces;
    for (unsigned i = 0; i < OUTSTANDING; i++)
        under_way |= out->sent[i].ticket != 0;
    return exchange->dead[to] || (out->next == exchange->numbers && !under_way);
}
