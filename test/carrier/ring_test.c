/* A ring as one process sees it from both ends: order, every size, wrap-around, full by messages and by bytes. */
#include "arena.h"
#include "carrier/carrier.h"
#include "test.h"

#include <errno.h>
#include <string.h>

static const size_t sizes[] = {0, 1, 31, 32, 33, 39, 40, 41, 63, 64, 65, 127, 128, 4096, 16383, KNELL_CARRIER_MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };
static uint8_t buffer[KNELL_CARRIER_MOST];

static int put(struct arena *arena, size_t size, uint64_t key)
{
    struct knell_carrier_head head = {(uint32_t)key, -(int32_t)key};
    payload_fill(buffer, size, key);
    return knell_carrier_send(arena->carrier[0], 1, &head, buffer, size);
}

/* Takes the next message, which has to be this one. */
static bool get(struct arena *arena, size_t size, uint64_t key)
{
    struct knell_carrier_message message;
    if (!CHECK(knell_carrier_look(arena->carrier[1], 0, &message)))
        return false;
    bool same = CHECK_EQ_U64(message.kind, KNELL_CARRIER_DATA);
    same &= CHECK_EQ_U64(message.head.context, (uint32_t)key) & CHECK_EQ_I64(message.head.tag, -(int32_t)key);
    same &= CHECK_EQ_U64(message.size, size) & CHECK_EQ_U64(message.bytes, size);
    same &= CHECK(payload_is(message.data, size, key));
    knell_carrier_pass(arena->carrier[1], 0);
    return same;
}

static bool is_empty(struct arena *arena)
{
    struct knell_carrier_message message;
    return !knell_carrier_has(arena->carrier[1], 0) && !knell_carrier_look(arena->carrier[1], 0, &message);
}

TEST(every_size_alone)
{
    struct arena arena = arena_make(2);
    CHECK(is_empty(&arena));
    for (uint64_t i = 0; i < SIZES; i++) {
        test_context("size %zu", sizes[i]);
        CHECK_EQ_I64(put(&arena, sizes[i], i), 0);
        CHECK(knell_carrier_has(arena.carrier[1], 0));
        get(&arena, sizes[i], i);
        CHECK(is_empty(&arena));
    }
    arena_end(&arena);
}

/* Sizes in an order that meets the end of the data ring at many places, some messages under way. */
TEST(laps)
{
    struct arena arena = arena_make(2);
    uint64_t written = 0, read = 0;
    while (read < 20000) {
        while (written < read + 1 + read % 5 && put(&arena, sizes[written * 7 % SIZES], written) == 0)
            written++;
        REQUIRE(written > read);
        REQUIRE(get(&arena, sizes[read * 7 % SIZES], read));
        read++;
    }
    CHECK(arena.carrier[0]->out[1].bytes > 100 * (uint64_t)DATA_BYTES);
    arena_end(&arena);
}

/* As many as there are slots. Places are given back by the quarter, and all of them when there is nothing more to read. */
TEST(full_by_messages)
{
    struct arena arena = arena_make(2);
    uint64_t written = 0, read = 0;
    for (int lap = 0; lap < 5; lap++) {
        while (put(&arena, written % 41, written) == 0)
            written++;
        CHECK(written - read <= SLOTS && written - read > SLOTS - SLOTS / 4);
        for (int i = 0; i <= lap * 31 && read < written; i++, read++)
            get(&arena, read % 41, read);
    }
    while (read < written && get(&arena, read % 41, read))
        read++;
    CHECK(is_empty(&arena));
    while (put(&arena, written % 41, written) == 0)
        written++;
    CHECK_EQ_U64(written - read, SLOTS);
    arena_end(&arena);
}

/* Every size fills the ring from every place of a lap, is refused once, and goes when there is room: nothing is lost or written over. */
TEST(full_by_bytes)
{
    struct arena arena = arena_make(2);
    uint64_t written = 0, read = 0;
    uint8_t of[4096];
    for (unsigned round = 0; round < 400; round++) {
        unsigned kind = 7 + round % (SIZES - 7);
        while (put(&arena, sizes[kind], written) == 0)
            of[written++ % sizeof of] = (uint8_t)kind;
        REQUIRE(written > read && written - read <= SLOTS);
        uint64_t end = sizes[kind] <= 440 ? SLOTS : (uint64_t)DATA_BYTES / ((sizes[kind] + LINE - 1) / LINE * LINE);
        test_context("round %u, size %zu", round, sizes[kind]);
        if (round == 0 || round % (SIZES - 7) == 0)
            CHECK(written - read <= end);
        uint64_t leave = round % 3;
        while (read + leave < written) {
            REQUIRE(get(&arena, sizes[of[read % sizeof of]], read));
            read++;
        }
    }
    arena_end(&arena);
}

/* An empty ring has room for a message of the largest size at whatever place of the lap it stands. */
TEST(the_largest_fits_from_every_place)
{
    struct arena arena = arena_make(2);
    for (uint64_t line = 0; line < 2 * DATA_BYTES / LINE; line++) {
        test_context("line %u", (unsigned)line);
        REQUIRE(put(&arena, KNELL_CARRIER_MOST, line) == 0);
        REQUIRE(get(&arena, KNELL_CARRIER_MOST, line));
        REQUIRE(put(&arena, 64, line) == 0);
        REQUIRE(get(&arena, 64, line));
    }
    arena_end(&arena);
}

/* What an earlier lap left in a slot is not taken for a message. */
TEST(what_is_left_is_no_message)
{
    struct arena arena = arena_make(2);
    for (uint64_t i = 0; i < 3 * SLOTS; i++) {
        REQUIRE(put(&arena, 8, i) == 0);
        REQUIRE(get(&arena, 8, i));
        REQUIRE(is_empty(&arena));
    }
    arena_end(&arena);
}

/* A message that is written and not published is none, and the next one is whole. */
TEST(what_is_not_published_is_no_message)
{
    struct arena arena = arena_make(2);
    struct slot *slot = &knell__carrier_pair(arena.carrier[0], 1, 0)->slot[0];
    memset((char *)slot + sizeof slot->number, 0xff, sizeof *slot - sizeof slot->number);
    CHECK(is_empty(&arena));
    CHECK_EQ_I64(knell_carrier_next(arena.carrier[1]), -1);
    CHECK_EQ_I64(put(&arena, 40, 7), 0);
    get(&arena, 40, 7);
    arena_end(&arena);
}

TEST(to_oneself)
{
    struct arena arena = arena_make(1);
    struct knell_carrier *carrier = arena.carrier[0];
    struct knell_carrier_message message;
    for (uint64_t i = 0; i < 1000; i++) {
        size_t size = sizes[i % SIZES];
        payload_fill(buffer, size, i);
        REQUIRE(knell_carrier_send(carrier, 0, &(struct knell_carrier_head){1, 2}, buffer, size) == 0);
        REQUIRE(knell_carrier_next(carrier) == 0);
        REQUIRE(knell_carrier_look(carrier, 0, &message) && message.bytes == size);
        REQUIRE(payload_is(message.data, size, i));
        knell_carrier_pass(carrier, 0);
        REQUIRE(knell_carrier_next(carrier) == -1);
    }
    arena_end(&arena);
}

TEST(bad_input)
{
    int fd = -1;
    struct knell_carrier *carrier = NULL;
    CHECK_EQ_I64(knell_carrier_make(0, &fd), -EINVAL);
    CHECK_EQ_I64(knell_carrier_make(MOST_PROCESSES + 1, &fd), -EINVAL);
    REQUIRE(knell_carrier_make(2, &fd) == 0);
    CHECK_EQ_I64(knell_carrier_join(fd, 2, 2, &carrier), -EINVAL);
    CHECK_EQ_I64(knell_carrier_join(fd, 0, 0, &carrier), -EINVAL);
    CHECK_EQ_I64(knell_carrier_join(fd, 3, 0, &carrier), -EINVAL); /* made for two */
    CHECK_EQ_I64(knell_carrier_join(-1, 2, 0, &carrier), -EBADF);
    CHECK(carrier == NULL);
    close(fd);
}
