/* send.c: the writer's side of a ring. */
#include "carrier/carrier.h"

#include <assert.h>
#include <string.h>

/* ---- room ---------------------------------------------------------------------------------------------------------------------- */

static bool has_room(const struct out *out, uint64_t end)
{
    return out->messages - out->passed < SLOTS && end - out->passed_bytes <= DATA_BYTES;
}

/* Room for a message that ends at `end` in the data ring. What the reader has passed is asked for only when it is needed. */
static bool find_room(const struct pair *pair, struct out *out, uint64_t end)
{
    if (has_room(out, end))
        return true;
    out->passed = atomic_load_explicit(&pair->passed.messages, memory_order_acquire);
    out->passed_bytes = atomic_load_explicit(&pair->passed.bytes, memory_order_acquire);
    return has_room(out, end);
}

/* ---- publishing ----------------------------------------------------------------------------------------------------------------- */

/* The hint is set after the message is there (carrier.h, 3). */
static inline void hint(const struct knell_carrier *carrier, unsigned to)
{
    _Atomic uint64_t *word = &carrier->process[to].hints[carrier->me / 64];
    uint64_t bit = UINT64_C(1) << carrier->me % 64;
    if (!(atomic_load(word) & bit)) {
        STEP();
        atomic_fetch_or(word, bit);
    }
}

static inline void publish(const struct knell_carrier *carrier, unsigned to, struct out *out, struct slot *slot)
{
    STEP();
    atomic_store(&slot->number, ++out->messages);
    STEP();
    hint(carrier, to);
    STEP();
}

static inline struct slot *slot_of(struct pair *pair, const struct out *out)
{
    return &pair->slot[out->messages % SLOTS];
}

/* ---- what goes through the ring --------------------------------------------------------------------------------------------------- */

/* A test ends the process in the middle of it, too. */
static inline void copy(void *into, const void *data, size_t size)
{
#ifdef KNELL_CARRIER_STEPS
    size_t half = size / 2;
    if (half > 0)
        memcpy(into, data, half);
    STEP();
    into = (char *)into + half, data = (const char *)data + half, size -= half;
#endif
    if (size > 0)
        memcpy(into, data, size);
}

/* `inlined`: so many bytes fit into the slot. */
static inline int send(struct knell_carrier *carrier, unsigned to, const struct knell_carrier_head *head,
                       const void *data, size_t size, enum knell_carrier_kind kind, size_t inlined, uint64_t ticket)
{
    struct pair *pair = knell__carrier_pair(carrier, to, carrier->me);
    struct out *out = &carrier->out[to];
    bool small = size <= inlined;
    uint64_t begin = small ? out->bytes : knell__carrier_data_begin(out->bytes, size);
    uint64_t end = small ? out->bytes : knell__carrier_data_end(begin, size);
    assert(size <= KNELL_CARRIER_MOST);
    if (!find_room(pair, out, end))
        return KNELL_CARRIER_FULL;
    struct slot *slot = slot_of(pair, out);
    STEP();
    slot->head = *head;
    slot->bytes = (uint32_t)size;
    slot->kind = kind;
    if (kind == KNELL_CARRIER_ASKS)
        slot->asks = ticket;
    STEP();
    copy(small ? slot->inlined : &pair->data[begin % DATA_BYTES], data, size);
    out->bytes = end;
    publish(carrier, to, out, slot);
    return 0;
}

int knell_carrier_send(struct knell_carrier *carrier, unsigned to, const struct knell_carrier_head *head,
                       const void *data, size_t size)
{
    return send(carrier, to, head, data, size, KNELL_CARRIER_DATA, INLINED, 0);
}

int knell_carrier_piece(struct knell_carrier *carrier, unsigned to, const void *data, size_t size)
{
    return send(carrier, to, &(struct knell_carrier_head){0}, data, size, KNELL_CARRIER_PIECE, INLINED, 0);
}

int knell_carrier_ask(struct knell_carrier *carrier, unsigned to, const struct knell_carrier_head *head,
                      const void *data, size_t size, uint64_t *ticket)
{
    uint64_t made = knell__carrier_ticket(carrier);
    int code = made ? send(carrier, to, head, data, size, KNELL_CARRIER_ASKS, sizeof((struct slot *)0)->asked, made)
                    : KNELL_CARRIER_FULL;
    if (code == 0)
        *ticket = made;
    else if (made)
        knell_carrier_end(carrier, made);
    return code;
}

/* ---- what does not ------------------------------------------------------------------------------------------------------------------ */

static int announce(struct knell_carrier *carrier, unsigned to, const struct knell_carrier_head *head,
                    enum knell_carrier_kind kind, uint64_t size, uint64_t address, uint64_t ticket)
{
    struct pair *pair = knell__carrier_pair(carrier, to, carrier->me);
    struct out *out = &carrier->out[to];
    if (!find_room(pair, out, out->bytes))
        return KNELL_CARRIER_FULL;
    struct slot *slot = slot_of(pair, out);
    slot->head = *head;
    slot->bytes = 0;
    slot->kind = kind;
    STEP();
    slot->size = size;
    slot->address = address;
    slot->ticket = ticket;
    publish(carrier, to, out, slot);
    return 0;
}

int knell_carrier_begin(struct knell_carrier *carrier, unsigned to, const struct knell_carrier_head *head, size_t size,
                        uint64_t ticket)
{
    return announce(carrier, to, head, KNELL_CARRIER_BEGIN, size, 0, ticket);
}

int knell_carrier_offer(struct knell_carrier *carrier, unsigned to, const struct knell_carrier_head *head,
                        const void *data, size_t size, uint64_t *ticket)
{
    uint64_t made = knell__carrier_ticket(carrier);
    if (!made)
        return KNELL_CARRIER_FULL;
    int code = announce(carrier, to, head, KNELL_CARRIER_OFFER, size, (uint64_t)(uintptr_t)data, made);
    if (code == 0)
        *ticket = made;
    else
        knell_carrier_end(carrier, made);
    return code;
}
