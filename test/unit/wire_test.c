/* The wire codec, message by message: what goes in comes out, sizes are as promised, bad bytes are refused. Parts and
 * their joining are in wire_join.c, hostile bytes at length in fuzz/wire_fuzz.c. */
#include "test.h"
#include "wire_random.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t worlds[] = {2, 3, 8, 100, 4096, 256000, KNELL_RANKS_MAX};
#define WORLDS (sizeof worlds / sizeof *worlds)

static struct wire_message message;
static struct knell_range storage[4 * WIRE_RANGES];
static uint8_t bytes[1 << 16];

static size_t encode(const struct wire_message *m, uint8_t *to, size_t room)
{
    struct knell_wire_cursor cursor = {0};
    size_t used = 0;
    int error = knell_wire_encode(&m->route, &m->body, 0, &cursor, to, room, &used);
    CHECK_EQ_I64(error, 0);
    return error ? 0 : used;
}

/* Reads from memory of exactly that size, so that the address sanitizer sees a byte too many. */
static int decode(const uint8_t *from, size_t size, uint32_t ranks, struct wire_message *m)
{
    struct knell_wire_part part;
    uint8_t *exact = malloc(size ? size : 1);
    memcpy(exact, from, size);
    int error = knell_wire_decode(exact, size, ranks, storage, 4 * WIRE_RANGES, &part, &m->route, &m->body);
    if (error == 0 && m->body.value_size) {
        memcpy(m->value, m->body.value, m->body.value_size);
        m->body.value = m->value;
    }
    free(exact);
    return error;
}

TEST(wire_round_trip)
{
    static struct wire_message read;
    struct knell_prng g;
    knell_prng_seed(&g, 1);
    for (unsigned i = 0; i < 40000; i++) {
        uint32_t ranks = worlds[knell_prng_below(&g, WORLDS)];
        uint32_t ranges = knell_prng_below(&g, 50) ? 6 : WIRE_RANGES;
        enum knell_message type = 1 + i % (KNELL_MESSAGE_END - 1);
        test_context("message %u of %u ranks: %s", i, ranks, knell_message_text(type));
        wire_random(&message, &g, type, ranks, ranges);
        size_t size = encode(&message, bytes, sizeof bytes);
        REQUIRE(size > 0);
        CHECK_EQ_I64(decode(bytes, size, ranks, &read), 0);
        CHECK(wire_same(&message, &read.route, &read.body));
    }
}

/* The longest first part of each type, with 400 ranges a list to come: within KNELL_WIRE_MTU_MIN, and that is no idle
 * bound. */
TEST(wire_sizes)
{
    size_t longest = 0;
    for (unsigned type = 1; type < KNELL_MESSAGE_END; type++) {
        struct knell_wire_cursor cursor = {0};
        size_t used = 0;
        test_context("%s", knell_message_text(type));
        wire_longest(&message, type, 400);
        CHECK_EQ_I64(
            knell_wire_encode(&message.route, &message.body, UINT32_MAX, &cursor, bytes, KNELL_WIRE_MTU_MIN, &used), 0);
        CHECK(used <= KNELL_WIRE_MTU_MIN);
        longest = used > longest ? used : longest;
    }
    CHECK(longest > KNELL_WIRE_MTU_MIN - 8);
}

TEST(wire_size_of_a_heartbeat)
{
    wire_longest(&message, KNELL_MESSAGE_HEARTBEAT, 0);
    message.route = (struct knell_route){.from = KNELL_RANKS_MAX - 1, .hops = 1};
    CHECK_EQ_U64(encode(&message, bytes, sizeof bytes), KNELL_WIRE_HEARTBEAT_MAX);
    message.route.from = 200000;
    message.body.emitted = INT64_C(3600) * 1000000000; /* an hour after the boot */
    message.body.dead.size = 1;
    CHECK_EQ_U64(encode(&message, bytes, sizeof bytes), 21);
    message.body.dead = (struct knell_dead){0};
    CHECK_EQ_U64(encode(&message, bytes, sizeof bytes), 13);
}

TEST(wire_size_of_one_death)
{
    struct knell_range one = {123456, 123456, 0};
    message.route = (struct knell_route){.from = 200000, .hops = 2};
    message.body = (struct knell_body){
        .type = KNELL_MESSAGE_BROADCAST,
        .why = KNELL_WHY_TIMEOUT,
        .source = 123457,
        .sequence = 1,
        .subject = 123456,
        .dead = {.gone = &one, .gone_ranges = 1, .size = 1, .digest = 42},
    };
    CHECK_EQ_U64(encode(&message, bytes, sizeof bytes), 27);
}

/* Every beginning of every encoding is refused: a datagram cut short is no message. */
TEST(wire_truncated)
{
    static struct wire_message read;
    struct knell_prng g;
    knell_prng_seed(&g, 2);
    for (unsigned i = 0; i < 400; i++) {
        enum knell_message type = 1 + i % (KNELL_MESSAGE_END - 1);
        wire_random(&message, &g, type, 4096, 12);
        size_t size = encode(&message, bytes, sizeof bytes);
        test_context("message %u: %s", i, knell_message_text(type));
        for (size_t cut = 0; cut < size; cut++)
            CHECK_EQ_I64(decode(bytes, cut, 4096, &read), KNELL_EWIRE);
        bytes[size] = 0;
        CHECK_EQ_I64(decode(bytes, size + 1, 4096, &read), KNELL_EWIRE);
    }
}

static void check_mutant(size_t size, uint32_t ranks)
{
    static struct wire_message read;
    static uint8_t again[sizeof bytes];
    int error = decode(bytes, size, ranks, &read);
    if (error) {
        CHECK_EQ_I64(error, KNELL_EWIRE);
        return;
    }
    if (bytes[1] & 1)
        return; /* a part: nothing to compare with */
    CHECK_EQ_U64(encode(&read, again, size), size);
    CHECK(memcmp(bytes, again, size) == 0);
}

/* Every byte of an encoding set to every value: refused, or a message whose one encoding this is. */
TEST(wire_mutated)
{
    struct knell_prng g;
    knell_prng_seed(&g, 3);
    for (unsigned i = 0; i < 160; i++) {
        enum knell_message type = 1 + i % (KNELL_MESSAGE_END - 1);
        uint32_t ranks = i & 1 ? 8 : 4096;
        wire_random(&message, &g, type, ranks, 4);
        if (message.body.value_size > 40)
            message.body.value_size = 40;
        size_t size = encode(&message, bytes, sizeof bytes);
        test_context("message %u: %s", i, knell_message_text(type));
        for (size_t at = 0; at < size; at++) {
            uint8_t kept = bytes[at];
            for (unsigned value = 0; value < 256; value++) {
                bytes[at] = (uint8_t)value;
                check_mutant(size, ranks);
            }
            bytes[at] = kept;
        }
    }
}

/* Bytes against what they are; 8 ranks. */
static const struct {
    const char *what;
    int error;
    uint8_t size;
    uint8_t bytes[24];
} cases[] = {
    {"trigger from 7", 0, 3, {0x13, 0, 7}},
    {"nothing", KNELL_EWIRE, 0, {0}},
    {"version 0", KNELL_EWIRE, 3, {0x03, 0, 7}},
    {"version 2", KNELL_EWIRE, 3, {0x23, 0, 7}},
    {"type 0", KNELL_EWIRE, 3, {0x10, 0, 7}},
    {"type 9", KNELL_EWIRE, 3, {0x19, 0, 7}},
    {"from 8", KNELL_EWIRE, 3, {0x13, 0, 8}},
    {"from 7 in two bytes", KNELL_EWIRE, 4, {0x13, 0, 0x87, 0}},
    {"unknown shape", KNELL_EWIRE, 3, {0x13, 64, 7}},
    {"settled where there is no list", KNELL_EWIRE, 4, {0x13, 16, 7, 1}},
    {"known where nobody speaks", KNELL_EWIRE, 11, {0x13, 32, 7, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"acked where there is none", KNELL_EWIRE, 11, {0x13, 8, 7, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"a split trigger", KNELL_EWIRE, 6, {0x13, 1, 7, 1, 0, 1}},
    {"2 hops", 0, 4, {0x13, 2, 7, 2}},
    {"1 hop, said", KNELL_EWIRE, 4, {0x13, 2, 7, 1}},
    {"0 hops", KNELL_EWIRE, 4, {0x13, 2, 7, 0}},
    {"no path, said", KNELL_EWIRE, 4, {0x13, 4, 7, 0}},
    {"sync: nobody", 0, 5, {0x15, 0, 1, 0, 0}},
    {"sync: unknown flag", KNELL_EWIRE, 5, {0x15, 0, 1, 0, 2}},
    {"sync: 0 and 2", 0, 16, {0x15, 0, 1, 2, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0}},
    {"sync: 6 and 8", KNELL_EWIRE, 16, {0x15, 0, 1, 2, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 0}},
    {"sync: all but 7", 0, 16, {0x15, 0, 1, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 5}},
    {"sync: everyone", KNELL_EWIRE, 16, {0x15, 0, 1, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 6}},
    {"sync: more ranges than ranks allow", KNELL_EWIRE, 5, {0x15, 0, 1, 6, 0}},
    {"sync: 3 and 5, both left", 0, 18, {0x15, 0, 1, 2, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 6, 0, 0, 0}},
    {"sync: 3..4 left as two", KNELL_EWIRE, 18, {0x15, 0, 1, 1, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 7, 0, 0, 0}},
    {"sync: 3 and 5, left 3..5", KNELL_EWIRE, 18, {0x15, 0, 1, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 6, 0, 1, 0}},
    {"sync: 3, the second of it left", KNELL_EWIRE, 16, {0x15, 0, 1, 1, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 6, 2}},
    {"sync: 3 and 5, both settled", 0, 19, {0x15, 16, 1, 2, 0, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 6, 0, 0, 0}},
    {"sync: 3, settled, and none", KNELL_EWIRE, 16, {0x15, 16, 1, 1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 6}},
    {"sync: 3, the second of it settled", KNELL_EWIRE, 17, {0x15, 16, 1, 1, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 6, 2}},
    {"broadcast: without why", KNELL_EWIRE, 8, {0x14, 0, 1, 0, 1, 3, 0, 1}},
    {"broadcast: subject 2, left", 0, 8, {0x14, 0, 1, 0, 1, 3, 7, 1}},
    {"broadcast: subject 8", KNELL_EWIRE, 8, {0x14, 0, 1, 0, 1, 9, 7, 1}},
    {"broadcast: unknown why", KNELL_EWIRE, 8, {0x14, 0, 1, 0, 1, 3, 9, 1}},
    {"up: nothing", 0, 10, {0x17, 0, 1, 0, 0, 0, 0, 0, 0, 0}},
    {"up: what all know", 0, 18, {0x17, 32, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
    {"up: what all know is nothing", KNELL_EWIRE, 18, {0x17, 32, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"up: unknown kind", KNELL_EWIRE, 10, {0x17, 0, 1, 0, 0, 0, 0, 3, 0, 0}},
    {"up: root 8", KNELL_EWIRE, 10, {0x17, 0, 1, 0, 0, 0, 0, 0, 0, 8}},
    {"up: a value too long", KNELL_EWIRE, 12, {0x17, 0, 1, 0, 16, 0, 0, 0, 0, 0, 0x81, 0x08}},
    {"up: a value of more than there is", KNELL_EWIRE, 12, {0x17, 0, 1, 0, 16, 0, 0, 0, 0, 0, 0x80, 0x08}},
    {"heartbeat", 0, 5, {0x11, 0, 1, 2, 0}},
    {"heartbeat: 11 bytes of time",
     KNELL_EWIRE,
     15,
     {0x11, 0, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0}},
    {"heartbeat: 65 bits of time",
     KNELL_EWIRE,
     14,
     {0x11, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0}},
    {"heartbeat: 8 of 8 dead", KNELL_EWIRE, 13, {0x11, 0, 1, 2, 8, 1, 2, 3, 4, 5, 6, 7, 8}},
};

TEST(wire_cases)
{
    static struct wire_message read;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_context("%s", cases[i].what);
        CHECK_EQ_I64(decode(cases[i].bytes, cases[i].size, 8, &read), cases[i].error);
    }
}

/* What the encoder is asked for must be a message too. */
TEST(wire_encode_refuses)
{
    struct knell_range one = {3, 3, 0}, other = {4, 4, 0};
    struct knell_route route = {.from = 1, .hops = 1};
    struct knell_body sync = {.type = KNELL_MESSAGE_SYNC, .dead = {&one, &one, &one, 1, 1, 1, 1, 9}}, body;
    struct knell_wire_cursor cursor = {0};
    size_t used;
#define REFUSED(code) CHECK_EQ_I64(knell_wire_encode(&route, &body, 0, &cursor, bytes, sizeof bytes, &used), (code))
    body = sync, body.type = 0;
    REFUSED(KNELL_EINVAL);
    body = sync, body.type = KNELL_MESSAGE_END;
    REFUSED(KNELL_EINVAL);
    body = sync, body.flags = KNELL_FLAG_VALUE;
    REFUSED(KNELL_EINVAL);
    body = sync, body.dead.left = &other;
    REFUSED(KNELL_EINVAL);
    body = sync, body.dead.settled = &other;
    REFUSED(KNELL_EINVAL);
    body = sync, body.dead.gone_ranges = 0;
    REFUSED(KNELL_EINVAL);
    body = sync, route.hops = 0;
    REFUSED(KNELL_EINVAL);
    route.hops = 1;
    CHECK_EQ_I64(knell_wire_encode(&route, &body, 0, &cursor, bytes, 16, &used), KNELL_ESPACE);
    CHECK(!cursor.done && cursor.next == 0);
    REFUSED(0);
    CHECK(cursor.done);
    REFUSED(KNELL_EINVAL);
#undef REFUSED
}
