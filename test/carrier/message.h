/* message.h: what the processes of an exchange send each other. Message `number` from one process to another is a function of the
 * seed, so that the receiver knows each of its bytes. */
#ifndef KNELL_TEST_CARRIER_MESSAGE_H
#define KNELL_TEST_CARRIER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum message_way {
    WAY_SEND,
    WAY_ASK,
    WAY_OFFER,
    WAY_PIECES,         /* in pieces from the beginning */
    WAY_OFFERED_PIECES, /* offered; the receiver wants pieces */
    WAY_WITHDRAWN,      /* offered and withdrawn, if it is not taken before */
    WAYS
};

struct message {
    enum message_way way;
    size_t size;
    uint64_t key;
};

/* Seed 0: all ways and sizes in turn. */
struct message message_of(uint64_t seed, unsigned from, unsigned to, unsigned number);
void message_fill(const struct message *message, uint8_t *data);
/* Are these its bytes from `offset` on? */
bool message_is(const struct message *message, const uint8_t *data, size_t offset, size_t size);
const char *message_way_name(enum message_way way);

#endif
