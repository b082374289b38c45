/* frame: see frame.h. Little-endian whatever the machine. */
#include "runtime/frame.h"

#include <string.h>

enum { AT_VERSION = 2, AT_KIND = 3, AT_FROM = 4, AT_TO = 8, AT_NUMBER = 12, AT_ACK = 16, AT_BITS = 20 };

static void put(uint8_t *bytes, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

int knell__key_set(struct knell__key *key, const void *secret, size_t size)
{
    if (sodium_init() < 0 || crypto_generichash_init(&key->state, secret, size, KNELL__FRAME_TAG) != 0)
        return KNELL_ESYSTEM;
    return 0;
}

void knell__key_tag(const struct knell__key *key, const void *bytes, size_t size, uint8_t tag[KNELL__FRAME_TAG])
{
    crypto_generichash_state state = key->state;
    crypto_generichash_update(&state, bytes, size);
    crypto_generichash_final(&state, tag, KNELL__FRAME_TAG);
}

int knell__key_derive(struct knell__key *key, const void *bytes, size_t size)
{
    uint8_t derived[KNELL__FRAME_TAG];
    knell__key_tag(key, bytes, size, derived);
    int error = knell__key_set(key, derived, sizeof derived);
    sodium_memzero(derived, sizeof derived);
    return error;
}

size_t knell__frame_seal(const struct knell__key *key, const struct knell__frame *frame, const void *payload,
                         size_t size, uint8_t *bytes)
{
    bytes[0] = 'K';
    bytes[1] = 'n';
    bytes[AT_VERSION] = KNELL__FRAME_VERSION;
    bytes[AT_KIND] = frame->kind;
    put(bytes + AT_FROM, frame->from, 4);
    put(bytes + AT_TO, frame->to, 4);
    put(bytes + AT_NUMBER, frame->number, 4);
    put(bytes + AT_ACK, frame->ack, 4);
    put(bytes + AT_BITS, frame->ack_bits, 8);
    if (size)
        memcpy(bytes + KNELL__FRAME_HEAD, payload, size);
    knell__key_tag(key, bytes, KNELL__FRAME_HEAD + size, bytes + KNELL__FRAME_HEAD + size);
    return KNELL__FRAME_HEAD + size + KNELL__FRAME_TAG;
}

int knell__frame_open(const struct knell__key *key, knell_rank self, uint32_t ranks, const uint8_t *bytes, size_t size,
                      struct knell__frame *frame, const uint8_t **payload, size_t *payload_size)
{
    uint8_t tag[KNELL__FRAME_TAG];
    if (size < KNELL__FRAME_HEAD + KNELL__FRAME_TAG || size > KNELL__FRAME_MAX || bytes[0] != 'K' || bytes[1] != 'n' ||
        bytes[AT_VERSION] != KNELL__FRAME_VERSION)
        return KNELL_EWIRE;
    struct knell__frame read = {
        .kind = bytes[AT_KIND],
        .from = (knell_rank)get(bytes + AT_FROM, 4),
        .to = (knell_rank)get(bytes + AT_TO, 4),
        .number = (uint32_t)get(bytes + AT_NUMBER, 4),
        .ack = (uint32_t)get(bytes + AT_ACK, 4),
        .ack_bits = get(bytes + AT_BITS, 8),
    };
    if (read.kind < 1 || read.kind >= KNELL__FRAME_END || read.from >= ranks || read.from == self || read.to != self)
        return KNELL_EWIRE;
    size_t signed_size = size - KNELL__FRAME_TAG;
    knell__key_tag(key, bytes, signed_size, tag);
    if (sodium_memcmp(tag, bytes + signed_size, KNELL__FRAME_TAG) != 0)
        return KNELL_EAUTH;
    *frame = read;
    *payload = bytes + KNELL__FRAME_HEAD;
    *payload_size = signed_size - KNELL__FRAME_HEAD;
    return 0;
}
