/* Splitting and joining: parts in every order, copies, limits, parts that do not belong together. */
#include "test.h"
#include "wire_random.h"

#include <stdlib.h>
#include <string.h>

#define PARTS 2000
#define MTU_MAX 256

static struct {
    uint8_t bytes[MTU_MAX];
    size_t size;
} part[PARTS];
static struct wire_message message;

/* All parts of a message; 0 if it cannot be split that small. */
static unsigned split(const struct wire_message *m, uint32_t number, size_t mtu)
{
    struct knell_wire_cursor cursor = {0};
    unsigned parts = 0;
    while (!cursor.done) {
        if (!CHECK(parts < PARTS))
            return 0;
        int error = knell_wire_encode(&m->route, &m->body, number, &cursor, part[parts].bytes, mtu, &part[parts].size);
        if (error) {
            CHECK_EQ_I64(error, KNELL_ESPACE);
            return 0;
        }
        CHECK(part[parts].size <= mtu);
        parts++;
    }
    return parts;
}

static struct knell_wire_join *make_join(uint32_t ranks, uint32_t slots, uint32_t ranges)
{
    struct knell_wire_join *join = NULL;
    CHECK_EQ_I64(knell_wire_join_init(malloc(knell_wire_join_size(slots, ranges)), ranks, slots, ranges, &join), 0);
    return join;
}

/* 1: a whole message, the one that was split; 0: more to come; else the error. */
static int feed(struct knell_wire_join *join, unsigned index)
{
    struct knell_route route;
    struct knell_body body;
    bool whole = false;
    int error = knell_wire_join_feed(join, part[index].bytes, part[index].size, &whole, &route, &body);
    if (error)
        return error;
    if (whole)
        CHECK(wire_same(&message, &route, &body));
    return whole;
}

static void shuffle(struct knell_prng *g, unsigned *order, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned j = (unsigned)knell_prng_below(g, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* Any message, any size of datagram that will do, any order, some parts twice: once whole, and only with the last
 * part. */
TEST(wire_join_any_order)
{
    static unsigned order[PARTS];
    struct knell_prng g;
    knell_prng_seed(&g, 1);
    unsigned most = 0;
    for (unsigned i = 0; i < 4000; i++) {
        uint32_t ranks = i & 1 ? 256000 : KNELL_RANKS_MAX;
        size_t mtu = 24 + knell_prng_below(&g, MTU_MAX - 24);
        test_context("message %u", i);
        wire_random(&message, &g, KNELL_MESSAGE_BROADCAST + i % 5, ranks, i % 50 ? 30 : WIRE_RANGES);
        unsigned parts = split(&message, (uint32_t)knell_prng_next(&g), mtu);
        most = parts > most ? parts : most;
        struct knell_wire_join *join = make_join(ranks, 2, 4 * WIRE_RANGES);
        shuffle(&g, order, parts);
        for (unsigned k = 0; k < parts; k++) {
            CHECK_EQ_I64(feed(join, order[k]), k + 1 == parts);
            unsigned copy = order[knell_prng_below(&g, k + 1)];
            if (parts > 1)
                CHECK_EQ_I64(feed(join, copy), 0);
        }
        CHECK_EQ_U64(knell_wire_join_given_up(join), 0);
        free(join);
    }
    CHECK(most > 50);
}

/* A message of four parts in all of its 24 orders. */
TEST(wire_join_every_order)
{
    struct knell_prng g;
    knell_prng_seed(&g, 2);
    unsigned parts = 0;
    for (size_t mtu = 60; parts != 4; mtu = 60 + (mtu - 59) % 190) {
        wire_random(&message, &g, KNELL_MESSAGE_DOWN, 256000, 30);
        parts = split(&message, 7, mtu);
    }
    for (unsigned code = 0; code < 256; code++) {
        unsigned order[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6}, seen = 0;
        for (unsigned k = 0; k < 4; k++)
            seen |= 1u << order[k];
        if (seen != 15)
            continue;
        struct knell_wire_join *join = make_join(256000, 1, 200);
        for (unsigned k = 0; k < 4; k++)
            CHECK_EQ_I64(feed(join, order[k]), k == 3);
        free(join);
    }
}

/* `count` single ranks, so that the parts are many and alike. */
static void make_sync(knell_rank from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        message.gone[i] = (struct knell_range){1000 + 2 * i, 1000 + 2 * i, i};
    message.route = (struct knell_route){.from = from, .hops = 1};
    message.body = (struct knell_body){
        .type = KNELL_MESSAGE_SYNC,
        .subject = KNELL_NOBODY,
        .dead = {.gone = message.gone, .gone_ranges = count, .size = count, .digest = 5},
    };
}

/* With all slots taken the oldest incomplete message goes; completed ones go before it. */
TEST(wire_join_gives_up_the_oldest)
{
    struct knell_wire_join *join = make_join(4096, 2, 100);
    make_sync(1, 60);
    CHECK(split(&message, 1, 40) > 2);
    CHECK_EQ_I64(feed(join, 0), 0); /* message 1: begun */
    unsigned parts = split(&message, 2, 40);
    for (unsigned k = 0; k < parts; k++)
        CHECK_EQ_I64(feed(join, k), k + 1 == parts); /* message 2: complete */
    CHECK_EQ_I64(feed(join, 0), 0);                  /* a late copy of it is known as one */
    split(&message, 3, 40);
    CHECK_EQ_I64(feed(join, 0), 0); /* takes the slot of message 2 */
    CHECK_EQ_U64(knell_wire_join_given_up(join), 0);
    split(&message, 4, 40);
    CHECK_EQ_I64(feed(join, 0), 0); /* takes that of message 1 */
    CHECK_EQ_U64(knell_wire_join_given_up(join), 1);
    parts = split(&message, 3, 40);
    for (unsigned k = 1; k < parts; k++)
        CHECK_EQ_I64(feed(join, k), k + 1 == parts);
    split(&message, 1, 40);
    for (unsigned k = 1; k < parts; k++)
        CHECK_EQ_I64(feed(join, k), 0); /* its beginning is forgotten */
    CHECK_EQ_U64(knell_wire_join_given_up(join), 1);
    free(join);
}

/* The same number from another sender is another message. */
TEST(wire_join_keeps_senders_apart)
{
    struct knell_wire_join *join = make_join(4096, 2, 100);
    make_sync(1, 60);
    unsigned parts = split(&message, 1, 40);
    for (unsigned k = 0; k + 1 < parts; k++)
        CHECK_EQ_I64(feed(join, k), 0);
    make_sync(2, 60);
    split(&message, 1, 40);
    CHECK_EQ_I64(feed(join, parts - 1), 0);
    make_sync(1, 60);
    split(&message, 1, 40);
    CHECK_EQ_I64(feed(join, parts - 1), 1);
    free(join);
}

TEST(wire_join_limits)
{
    struct knell_wire_join *join = make_join(4096, 1, 60);
    make_sync(1, 61);
    CHECK(split(&message, 1, 40) > 1);
    CHECK_EQ_I64(feed(join, 0), KNELL_ESPACE);
    CHECK_EQ_U64(split(&message, 1, 256), 1);
    CHECK_EQ_I64(feed(join, 0), KNELL_ESPACE);
    make_sync(1, 60);
    CHECK_EQ_U64(split(&message, 1, 256), 1);
    CHECK_EQ_I64(feed(join, 0), 1);
    free(join);
    CHECK_EQ_U64(knell_wire_join_size(0, 1), 0);
    CHECK_EQ_U64(knell_wire_join_size(1, 0), 0);
    CHECK_EQ_U64(knell_wire_join_size(UINT32_MAX, UINT32_MAX), 0);
    CHECK_EQ_I64(knell_wire_join_init(NULL, 1, 1, 1, &join), KNELL_EINVAL);
}

/* Parts each of which could be, and that together are not: a list that goes down again, and other totals. */
TEST(wire_join_refuses_what_does_not_fit)
{
    struct knell_wire_join *join = make_join(4096, 1, 100);
    make_sync(1, 60);
    unsigned parts = split(&message, 1, 40);
    for (unsigned k = 0; k + 1 < parts; k++)
        CHECK_EQ_I64(feed(join, k), 0);
    for (uint32_t i = 0; i < 60; i++) /* the same, all lower */
        message.gone[i].first = message.gone[i].last = 300 + 2 * i;
    CHECK_EQ_U64(split(&message, 1, 40), parts);
    CHECK_EQ_I64(feed(join, parts - 1), KNELL_EWIRE);
    make_sync(1, 60);
    split(&message, 1, 40);
    CHECK_EQ_I64(feed(join, 0), 0); /* the slot is free again */
    make_sync(1, 59);
    split(&message, 1, 40);
    CHECK_EQ_I64(feed(join, 0), KNELL_EWIRE);
    free(join);
}
