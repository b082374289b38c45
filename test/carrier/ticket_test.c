/* Tickets: their states, who wins between taking and withdrawing, receivers that hold one of an earlier use, all in use. */
#include "arena.h"
#include "carrier/carrier.h"
#include "test.h"

#include <string.h>

static uint8_t data[100];
static const struct knell_carrier_head head = {3, 4};

static uint64_t offer(struct arena *arena)
{
    uint64_t ticket = 0;
    CHECK_EQ_I64(knell_carrier_offer(arena->carrier[0], 1, &head, data, sizeof data, &ticket), 0);
    return ticket;
}

/* What the reader finds: the ticket of the next message, which is passed. */
static uint64_t found(struct arena *arena, enum knell_carrier_kind kind)
{
    struct knell_carrier_message message;
    if (!CHECK(knell_carrier_look(arena->carrier[1], 0, &message)))
        return 0;
    CHECK_EQ_U64(message.kind, kind);
    CHECK(memcmp(&message.head, &head, sizeof head) == 0);
    knell_carrier_pass(arena->carrier[1], 0);
    return message.ticket;
}

static bool is_seen_as(struct arena *arena, uint64_t ticket, enum knell_carrier_state state)
{
    return knell_carrier_state(arena->carrier[0], ticket) == state &&
           knell_carrier_asked(arena->carrier[1], 0, ticket) == state;
}

TEST(offered_taken_done)
{
    struct arena arena = arena_make(2);
    uint64_t ticket = offer(&arena);
    CHECK_EQ_U64(found(&arena, KNELL_CARRIER_OFFER), ticket);
    CHECK(is_seen_as(&arena, ticket, KNELL_CARRIER_OFFERED));
    CHECK(knell_carrier_accept(arena.carrier[1], 0, ticket));
    CHECK(is_seen_as(&arena, ticket, KNELL_CARRIER_TAKEN));
    CHECK(!knell_carrier_accept(arena.carrier[1], 0, ticket));
    CHECK(!knell_carrier_withdraw(arena.carrier[0], ticket));
    knell_carrier_answer(arena.carrier[1], 0, ticket, KNELL_CARRIER_DONE);
    CHECK(is_seen_as(&arena, ticket, KNELL_CARRIER_DONE));
    CHECK(!knell_carrier_withdraw(arena.carrier[0], ticket));
    knell_carrier_end(arena.carrier[0], ticket);
    CHECK(is_seen_as(&arena, ticket, KNELL_CARRIER_FREE));
    arena_end(&arena);
}

TEST(asked_for_every_size)
{
    static const size_t sizes[] = {0, 1, 31, 32, 33, 40, 41, 64, 65};
    struct arena arena = arena_make(2);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct knell_carrier_message message;
        uint64_t ticket = 0;
        test_context("size %zu", sizes[i]);
        payload_fill(data, sizes[i], i);
        CHECK_EQ_I64(knell_carrier_ask(arena.carrier[0], 1, &head, data, sizes[i], &ticket), 0);
        REQUIRE(knell_carrier_look(arena.carrier[1], 0, &message));
        CHECK(message.kind == KNELL_CARRIER_ASKS && message.ticket == ticket && message.bytes == sizes[i]);
        CHECK(payload_is(message.data, sizes[i], i));
        CHECK(knell_carrier_accept(arena.carrier[1], 0, message.ticket));
        knell_carrier_answer(arena.carrier[1], 0, message.ticket, KNELL_CARRIER_DONE);
        knell_carrier_pass(arena.carrier[1], 0);
        CHECK_EQ_U64(knell_carrier_state(arena.carrier[0], ticket), KNELL_CARRIER_DONE);
        knell_carrier_end(arena.carrier[0], ticket);
    }
    arena_end(&arena);
}

TEST(withdrawn)
{
    struct arena arena = arena_make(2);
    uint64_t ticket = offer(&arena);
    CHECK(knell_carrier_withdraw(arena.carrier[0], ticket));
    CHECK(!knell_carrier_withdraw(arena.carrier[0], ticket));
    CHECK_EQ_U64(found(&arena, KNELL_CARRIER_OFFER), ticket);
    CHECK(!knell_carrier_accept(arena.carrier[1], 0, ticket));
    CHECK(is_seen_as(&arena, ticket, KNELL_CARRIER_FREE));
    arena_end(&arena);
}

/* The place is used again, many times: who holds an old ticket neither takes nor answers nor ends a new one. */
TEST(a_ticket_of_an_earlier_use)
{
    struct arena arena = arena_make(2);
    uint64_t old = offer(&arena), last = old;
    for (int i = 0; i < 5000; i++) {
        CHECK(knell_carrier_withdraw(arena.carrier[0], last));
        CHECK_EQ_U64(found(&arena, KNELL_CARRIER_OFFER), last);
        last = offer(&arena);
        REQUIRE(last != old);
        REQUIRE(!knell_carrier_accept(arena.carrier[1], 0, old));
    }
    CHECK_EQ_U64(last % TICKETS, old % TICKETS);
    CHECK(knell_carrier_accept(arena.carrier[1], 0, last));
    knell_carrier_answer(arena.carrier[1], 0, old, KNELL_CARRIER_DONE);
    CHECK(is_seen_as(&arena, old, KNELL_CARRIER_FREE));
    knell_carrier_end(arena.carrier[0], old);
    CHECK(!knell_carrier_withdraw(arena.carrier[0], old));
    CHECK(is_seen_as(&arena, last, KNELL_CARRIER_TAKEN));
    arena_end(&arena);
}

/* The first use after four thousand million others: the generation is another one. */
TEST(generations_do_not_come_again)
{
    struct arena arena = arena_make(2);
    uint64_t old = offer(&arena);
    CHECK(knell_carrier_withdraw(arena.carrier[0], old));
    arena.carrier[0]->generation += UINT32_MAX;
    uint64_t next = offer(&arena);
    CHECK(next != old && next % TICKETS == old % TICKETS);
    CHECK(!knell_carrier_accept(arena.carrier[1], 0, old));
    arena_end(&arena);
}

/* A receiver that is given up while it reads: what it says later is not heard. */
TEST(given_up)
{
    struct arena arena = arena_make(2);
    uint64_t ticket = offer(&arena);
    CHECK(knell_carrier_accept(arena.carrier[1], 0, ticket));
    knell_carrier_end(arena.carrier[0], ticket);
    knell_carrier_answer(arena.carrier[1], 0, ticket, KNELL_CARRIER_DONE);
    CHECK(is_seen_as(&arena, ticket, KNELL_CARRIER_FREE));
    arena_end(&arena);
}

/* With all tickets in use there is no room; one that comes back is room for one. A ring that is full takes no ticket away. */
TEST(all_in_use)
{
    struct arena arena = arena_make(2);
    static uint64_t ticket[TICKETS];
    uint64_t more = 77;
    for (unsigned i = 0; i < TICKETS; i++) {
        ticket[i] = offer(&arena);
        REQUIRE(found(&arena, KNELL_CARRIER_OFFER) == ticket[i]);
    }
    CHECK_EQ_I64(knell_carrier_offer(arena.carrier[0], 1, &head, data, 1, &more), KNELL_CARRIER_FULL);
    CHECK_EQ_I64(knell_carrier_ask(arena.carrier[0], 1, &head, data, 1, &more), KNELL_CARRIER_FULL);
    CHECK_EQ_U64(more, 77);
    CHECK(!knell_carrier_has(arena.carrier[1], 0));
    CHECK(knell_carrier_withdraw(arena.carrier[0], ticket[500]));
    while (knell_carrier_send(arena.carrier[0], 1, &head, data, 1) == 0)
        ;
    for (int i = 0; i < 3; i++) {
        CHECK_EQ_I64(knell_carrier_offer(arena.carrier[0], 1, &head, data, 1, &more), KNELL_CARRIER_FULL);
        CHECK_EQ_I64(knell_carrier_ask(arena.carrier[0], 1, &head, data, 1, &more), KNELL_CARRIER_FULL);
    }
    while (knell_carrier_has(arena.carrier[1], 0))
        found(&arena, KNELL_CARRIER_DATA);
    CHECK_EQ_I64(knell_carrier_offer(arena.carrier[0], 1, &head, data, 1, &more), 0);
    arena_end(&arena);
}

/* What is matched is not withdrawn; it may be given up until it is taken. */
TEST(matched)
{
    struct arena arena = arena_make(2);
    uint64_t ticket = offer(&arena);
    CHECK(knell_carrier_match(arena.carrier[1], 0, ticket));
    CHECK(is_seen_as(&arena, ticket, KNELL_CARRIER_MATCHED));
    CHECK(!knell_carrier_match(arena.carrier[1], 0, ticket));
    CHECK(!knell_carrier_withdraw(arena.carrier[0], ticket));
    CHECK(knell_carrier_give_up(arena.carrier[0], ticket));
    CHECK(!knell_carrier_accept(arena.carrier[1], 0, ticket));
    ticket = offer(&arena);
    CHECK(knell_carrier_match(arena.carrier[1], 0, ticket) && knell_carrier_accept(arena.carrier[1], 0, ticket));
    CHECK(!knell_carrier_give_up(arena.carrier[0], ticket));
    CHECK(is_seen_as(&arena, ticket, KNELL_CARRIER_TAKEN));
    ticket = offer(&arena);
    CHECK(knell_carrier_give_up(arena.carrier[0], ticket));
    CHECK(!knell_carrier_match(arena.carrier[1], 0, ticket));
    arena_end(&arena);
}
