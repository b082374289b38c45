/* See message.h. */
#include "message.h"

#include "util/prng.h"

#include <knell/carrier.h>

static const size_t whole[] = {0, 1, 8, 32, 33, 40, 41, 63, 64, 65, 4096, KNELL_CARRIER_MOST};
static const size_t large[] = {1, 64, 4096, 20000, 70001, 0};
static const size_t in_pieces[] = {0, 1, 41, KNELL_CARRIER_MOST, KNELL_CARRIER_MOST + 1, 3 * KNELL_CARRIER_MOST + 5};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static size_t size_for(enum message_way way, uint64_t draw)
{
    if (way == WAY_SEND || way == WAY_ASK)
        return whole[draw % COUNT(whole)];
    return way == WAY_PIECES || way == WAY_OFFERED_PIECES ? in_pieces[draw % COUNT(in_pieces)]
                                                          : large[draw % COUNT(large)];
}

struct message message_of(uint64_t seed, unsigned from, unsigned to, unsigned number)
{
    uint64_t key = knell_prng_key(knell_prng_key(knell_prng_key(seed, from), to), number);
    struct message message = {.key = key};
    uint64_t way = number + from, size = number / WAYS + 5 * to + 3 * (number % WAYS);
    if (seed != 0) {
        /* Half of them are plain sends: they are what fills a ring. */
        way = knell_prng_at(key, 1) % 2 ? knell_prng_at(key, 2) : (uint64_t)WAY_SEND;
        size = knell_prng_at(key, 3);
    }
    message.way = (enum message_way)(way % WAYS);
    message.size = size_for(message.way, size);
    return message;
}

static inline uint8_t byte_at(uint64_t key, size_t i)
{
    return (uint8_t)(key + i * 31 + (i >> 8) * 7 + (i >> 16));
}

void message_fill(const struct message *message, uint8_t *data)
{
    for (size_t i = 0; i < message->size; i++)
        data[i] = byte_at(message->key, i);
}

bool message_is(const struct message *message, const uint8_t *data, size_t offset, size_t size)
{
    unsigned differ = 0;
    if (offset > message->size || size > message->size - offset)
        return false;
    for (size_t i = 0; i < size; i++)
        differ |= (unsigned)(data[i] ^ byte_at(message->key, offset + i));
    return differ == 0;
}

const char *message_way_name(enum message_way way)
{
    static const char *const name[] = {"send", "ask", "offer", "pieces", "offer, then pieces", "offer, withdrawn"};
    return name[way];
}
