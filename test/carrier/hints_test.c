/* Who may have something: process counts around the words of bits; readers that limit themselves; hints that never came. */
#include "arena.h"
#include "carrier/carrier.h"
#include "test.h"

static const unsigned counts[] = {1, 2, 63, 64, 65, 127, 128, 129};
enum { COUNTS = sizeof counts / sizeof *counts };

static bool send_one(struct arena *arena, unsigned from, unsigned to)
{
    return knell_carrier_send(arena->carrier[from], to, &(struct knell_carrier_head){from, (int)to}, &from,
                              sizeof from) == 0;
}

static unsigned take_all(struct arena *arena, unsigned to, unsigned from)
{
    struct knell_carrier_message message;
    unsigned taken = 0;
    for (; knell_carrier_look(arena->carrier[to], from, &message); taken++) {
        CHECK_EQ_U64(message.head.context, from);
        CHECK_EQ_I64(message.head.tag, to);
        knell_carrier_pass(arena->carrier[to], from);
    }
    return taken;
}

/* Everybody sends to `to`: each is named once, and nobody else is. */
static void check_all_to(struct arena *arena, unsigned to)
{
    uint8_t seen[256] = {0};
    int from;
    for (unsigned i = 0; i < arena->processes; i++)
        CHECK(send_one(arena, i, to));
    while ((from = knell_carrier_next(arena->carrier[to])) >= 0) {
        REQUIRE((unsigned)from < arena->processes);
        CHECK_EQ_U64(seen[from]++, 0);
        CHECK_EQ_U64(take_all(arena, to, (unsigned)from), 1);
    }
    for (unsigned i = 0; i < arena->processes; i++)
        CHECK_EQ_U64(seen[i], 1);
}

TEST(all_are_named)
{
    for (unsigned c = 0; c < COUNTS; c++) {
        struct arena arena = arena_make(counts[c]);
        unsigned some[] = {0, counts[c] / 2, counts[c] - 1};
        for (unsigned i = 0; i < 3; i++) {
            test_context("%u processes, to %u", counts[c], some[i]);
            check_all_to(&arena, some[i]);
            check_all_to(&arena, some[i]);
        }
        arena_end(&arena);
    }
}

/* The one who sends always does not keep the others from being named. */
TEST(nobody_starves)
{
    struct arena arena = arena_make(130);
    bool seen = false;
    CHECK(send_one(&arena, 129, 5));
    for (int turn = 0; turn < 20 && !seen; turn++) {
        CHECK(send_one(&arena, 1, 5));
        int from = knell_carrier_next(arena.carrier[5]);
        seen = from == 129;
        take_all(&arena, 5, (unsigned)from);
    }
    CHECK(seen);
    arena_end(&arena);
}

/* Who stops before all is read says so to itself, and is told again. */
TEST(a_reader_that_limits_itself)
{
    struct arena arena = arena_make(66);
    struct knell_carrier *reader = arena.carrier[0];
    for (int i = 0; i < 3; i++)
        CHECK(send_one(&arena, 65, 0));
    for (int i = 0; i < 3; i++) {
        REQUIRE(knell_carrier_next(reader) == 65);
        knell_carrier_pass(reader, 65);
        knell_carrier_sweep(reader, 65);
    }
    CHECK_EQ_I64(knell_carrier_next(reader), 65); /* there is nothing more, and that is no harm */
    CHECK_EQ_U64(take_all(&arena, 0, 65), 0);
    CHECK_EQ_I64(knell_carrier_next(reader), -1);
    arena_end(&arena);
}

/* A writer that was killed between publishing and its hint: the reader is not told, until it sweeps. */
TEST(a_hint_that_never_came)
{
    struct arena arena = arena_make(65);
    struct knell_carrier *reader = arena.carrier[3];
    CHECK(send_one(&arena, 64, 3));
    atomic_store(&reader->process[3].hints[1], 0);
    CHECK_EQ_I64(knell_carrier_next(reader), -1);
    knell_carrier_sweep(reader, 64);
    REQUIRE(knell_carrier_next(reader) == 64);
    CHECK_EQ_U64(take_all(&arena, 3, 64), 1);
    CHECK_EQ_I64(knell_carrier_next(reader), -1);
    arena_end(&arena);
}

/* A message that comes while its sender's bit is being worked on is named again. */
TEST(a_message_after_the_bit_was_taken)
{
    struct arena arena = arena_make(2);
    CHECK(send_one(&arena, 1, 0));
    REQUIRE(knell_carrier_next(arena.carrier[0]) == 1);
    CHECK_EQ_U64(take_all(&arena, 0, 1), 1);
    CHECK(send_one(&arena, 1, 0));
    REQUIRE(knell_carrier_next(arena.carrier[0]) == 1);
    CHECK_EQ_U64(take_all(&arena, 0, 1), 1);
    arena_end(&arena);
}
