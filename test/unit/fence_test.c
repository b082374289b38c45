/* The fence: the accused ends, and nobody else: who is passed over on the ring is told, and who leaves is still heard. */
#include "test.h"
#include "world.h"

static struct knell_node *at(const struct world *w, knell_rank rank)
{
    return w->slot[rank].node;
}

static bool is_fenced(const struct world *w, knell_rank rank)
{
    return knell_node_state(at(w, rank)) == KNELL_STATE_FENCED;
}

static struct knell_body new_observer(void)
{
    return (struct knell_body){.type = KNELL_MESSAGE_NEW_OBSERVER, .subject = KNELL_NOBODY};
}

/* 4 accuses 3, which it watches, and dies; 3 hears of that death first, and so not of its own. Who watched 3 is gone: nobody tells it
 * but its emitter, when 5 takes that over. */
TEST(an_accused_one_that_nobody_told_does_not_accuse)
{
    struct world w;
    world_open(&w, 6);
    w.config.delta = 11; /* the least there may be */
    world_start(&w);
    world_run(&w, 12);
    world_suspect(&w, 4, 3, KNELL_WHY_OPERATOR);
    world_crash(&w, 4);
    world_suspect(&w, 3, 4, KNELL_WHY_KERNEL);
    world_run(&w, 200);
    CHECK(is_fenced(&w, 3));
    for (knell_rank r = 0; r < 6; r++) {
        test_context("node %u", (unsigned)r);
        CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_FAILED, r) > 0, r == 3 || r == 4);
        CHECK(world_alive(&w, r) == (r != 3 && r != 4));
    }
    world_close(&w);
}

TEST(a_passed_over_observer_is_told)
{
    struct world w;
    world_open(&w, 6);
    world_start(&w);
    world_inject(&w, 4, 1, new_observer()); /* 4 holds 2 and 3 for dead; 2 was the observer */
    int told = world_find(&w, KNELL_MESSAGE_SYNC, 2);
    REQUIRE(told >= 0);
    CHECK_EQ_U64(w.sent[KNELL_MESSAGE_SYNC], 1);
    world_deliver(&w, (uint32_t)told);
    CHECK(is_fenced(&w, 2));
    CHECK(!knell_node_is_gone(at(&w, 1), 2)); /* that is for a broadcast to say */
    world_inject(&w, 3, 1, new_observer());   /* comes too late: 4 is farther */
    told = world_find(&w, KNELL_MESSAGE_SYNC, 3);
    REQUIRE(told >= 0);
    world_deliver(&w, (uint32_t)told);
    CHECK(is_fenced(&w, 3));
    CHECK_EQ_U64(knell_node_observer(at(&w, 1)), 4);
    uint64_t before = w.sent[KNELL_MESSAGE_SYNC];
    world_inject(&w, 4, 1, new_observer()); /* again: it is the observer */
    CHECK_EQ_U64(w.sent[KNELL_MESSAGE_SYNC], before);
    world_close(&w);
}

TEST(who_left_is_not_told_that_it_was_passed_over)
{
    struct world w;
    world_open(&w, 6);
    world_start(&w);
    world_leave(&w, 2);
    world_deliver_all(&w);
    CHECK_EQ_U64(knell_node_observer(at(&w, 1)), 3);
    CHECK_EQ_U64(w.sent[KNELL_MESSAGE_SYNC], 0);
    world_close(&w);
}

/* Who believes to be the last stops its heartbeats: whoever watched it is told. */
TEST(the_last_one_tells_its_observer)
{
    struct world w;
    world_open(&w, 3);
    world_start(&w);
    world_suspect(&w, 0, 2, KNELL_WHY_KERNEL); /* truly */
    world_crash(&w, 2);
    while (w.wire_count)
        world_lose(&w, 0);
    struct knell_range one = {1, 1, 0};
    struct knell_body list = {
        .type = KNELL_MESSAGE_BROADCAST, .source = 2, .sequence = 1, .subject = 1, .why = KNELL_WHY_OPERATOR};
    list.dead = (struct knell_dead){.gone = &one, .gone_ranges = 1, .size = 1, .digest = 5};
    world_inject(&w, 1, 0, list); /* what it says of itself came from 2, say */
    int told = world_find(&w, KNELL_MESSAGE_SYNC, 1);
    REQUIRE(told >= 0);
    world_deliver(&w, (uint32_t)told);
    CHECK(is_fenced(&w, 1));
    CHECK_EQ_U64(knell_node_observer(at(&w, 0)), KNELL_NOBODY);
    world_close(&w);
}

/* One held for dead that asks for a list is told; the answer asks for nothing. */
TEST(a_dead_one_that_compares_lists_is_told)
{
    struct world w;
    struct knell_body sync = {.type = KNELL_MESSAGE_SYNC, .subject = KNELL_NOBODY, .flags = KNELL_FLAG_ANSWER};
    world_open(&w, 6);
    world_start(&w);
    world_suspect(&w, 1, 4, KNELL_WHY_OPERATOR);
    while (w.wire_count)
        world_lose(&w, 0);
    world_inject(&w, 4, 1, sync);
    REQUIRE(w.wire_count == 1);
    CHECK(w.wire[0].to == 4 && w.wire[0].held->body.type == KNELL_MESSAGE_SYNC && w.wire[0].held->body.flags == 0);
    world_deliver_all(&w);
    CHECK(is_fenced(&w, 4));
    sync.flags = 0;
    world_inject(&w, 4, 1, sync);
    CHECK_EQ_U64(w.wire_count, 0);
    world_close(&w);
}

/* A farewell may overtake a revoke of the same node: it counts. */
TEST(a_revoke_of_one_who_left_is_heard)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    world_revoke(&w, 3, KNELL_WORLD);
    uint32_t slow = w.wire_count;
    world_leave(&w, 3);
    while (w.wire_count > slow)
        world_deliver(&w, slow);
    world_deliver_all(&w);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_REVOKED, KNELL_NOBODY), 8);
    world_close(&w);
}
