/* Datagrams that are not ours: a wrong key, a wrong receiver, too short, too long, changed anywhere, or plain noise. */
#include "runtime/channel.h"
#include "test.h"
#include "util/prng.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 16, SELF = 5, HOSTILE = 1000000 };

static void emit(void *driver, knell_rank to, enum knell__frame_kind kind, const uint8_t *bytes, size_t size)
{
    (void)kind;
    (void)to;
    (void)bytes;
    (void)size;
    ++*(unsigned *)driver;
}

static size_t seal(const struct knell__key *key, uint8_t kind, knell_rank from, knell_rank to, uint32_t number,
                   size_t size, uint8_t *bytes)
{
    uint8_t payload[KNELL__FRAME_ROOM];
    for (size_t i = 0; i < size; i++)
        payload[i] = (uint8_t)(i * 7 + number);
    return knell__frame_seal(key, &(struct knell__frame){kind, from, to, number, 3, 5}, payload, size, bytes);
}

TEST(round_trip)
{
    struct knell__key key;
    struct knell__frame frame;
    const uint8_t *payload;
    size_t size;
    uint8_t bytes[KNELL__FRAME_MAX];
    REQUIRE(knell__key_set(&key, "a key of 16 byte", 16) == 0);
    size_t used = seal(&key, KNELL__FRAME_DATA, 2, SELF, 77, 100, bytes);
    REQUIRE(knell__frame_open(&key, SELF, RANKS, bytes, used, &frame, &payload, &size) == 0);
    CHECK_EQ_U64(frame.kind, KNELL__FRAME_DATA);
    CHECK_EQ_U64(frame.from, 2);
    CHECK_EQ_U64(frame.number, 77);
    CHECK_EQ_U64(frame.ack, 3);
    CHECK_EQ_U64(frame.ack_bits, 5);
    CHECK_EQ_U64(size, 100);
    CHECK_EQ_U64(payload[99], (uint8_t)(99 * 7 + 77));
}

TEST(every_bit_counts)
{
    struct knell__key key, other;
    struct knell__frame frame;
    const uint8_t *payload;
    size_t size;
    uint8_t bytes[KNELL__FRAME_MAX];
    knell__key_set(&key, "a key of 16 byte", 16);
    knell__key_set(&other, "a key of 16 bytf", 16);
    size_t used = seal(&key, KNELL__FRAME_DATA, 2, SELF, 77, 50, bytes);
    CHECK_EQ_I64(knell__frame_open(&other, SELF, RANKS, bytes, used, &frame, &payload, &size), KNELL_EAUTH);
    CHECK_EQ_I64(knell__frame_open(&key, SELF + 1, RANKS, bytes, used, &frame, &payload, &size), KNELL_EWIRE);
    for (size_t bit = 0; bit < used * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (knell__frame_open(&key, SELF, RANKS, bytes, used, &frame, &payload, &size) == 0)
            CHECK(bit > used * 8); /* fails, and says which */
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t cut = 0; cut < used; cut++)
        if (knell__frame_open(&key, SELF, RANKS, bytes, cut, &frame, &payload, &size) == 0)
            CHECK(cut == used);
}

/* Noise, and honest datagrams with some bytes changed, cut or lengthened. */
static size_t make_hostile(struct knell_prng *prng, const struct knell__key *key, uint8_t *bytes)
{
    size_t size = knell_prng_below(prng, KNELL__FRAME_MAX + 1);
    if (knell_prng_below(prng, 4) == 0) {
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)knell_prng_next(prng);
        return size;
    }
    size = seal(key, (uint8_t)(1 + knell_prng_below(prng, 5)), (knell_rank)knell_prng_below(prng, RANKS), SELF,
                (uint32_t)knell_prng_below(prng, 100), knell_prng_below(prng, 120), bytes);
    if (knell_prng_below(prng, 3) == 0)
        return knell_prng_below(prng, size);
    size_t at = knell_prng_below(prng, size);
    for (unsigned changes = 1 + (unsigned)knell_prng_below(prng, 3); changes > 0; changes--)
        bytes[(at + changes) % size] ^= (uint8_t)(1 + knell_prng_below(prng, 255));
    return size;
}

TEST(hostile_datagrams_change_counters_only)
{
    struct knell__key key, thief;
    struct knell__channel channel;
    struct knell_prng prng;
    unsigned emitted = 0, delivered = 0;
    uint8_t bytes[KNELL__FRAME_MAX + 1];
    struct knell__received got;
    knell_prng_seed(&prng, 1);
    knell__key_set(&key, "a key of 16 byte", 16);
    knell__key_set(&thief, "no key of 16 byt", 16);
    REQUIRE(knell__channel_init(&channel, &key, SELF, RANKS, 1000000) == 0);
    channel.driver = &emitted;
    channel.emit = emit;
    uint32_t word = 1;
    knell__channel_send(&channel, 0, &(knell_rank){3}, 1, &word, sizeof word);
    struct knell__channel before = channel;
    struct knell__peer peers[RANKS];
    memcpy(peers, channel.peer, sizeof peers);
    for (unsigned i = 0; i < HOSTILE; i++) {
        size_t size = make_hostile(&prng, i % 2 ? &thief : &key, bytes);
        delivered += knell__channel_receive(&channel, 1, bytes, size, &got);
    }
    CHECK_EQ_U64(delivered, 0);
    CHECK_EQ_U64(channel.counters.refused_format + channel.counters.refused_tag, HOSTILE);
    CHECK(channel.counters.refused_tag > HOSTILE / 4);
    CHECK_EQ_U64(emitted, 1);
    CHECK_EQ_U64(channel.entries, before.entries);
    CHECK_EQ_U64(channel.acks, 0);
    CHECK(memcmp(peers, channel.peer, sizeof peers) == 0);
    knell__channel_free(&channel);
}
