/* Departure: a node that returned a decision makes sure that others hold it before it says farewell. */
#include "core/state.h"
#include "test.h"
#include "util/prng.h"
#include "world.h"

static struct knell_node *at(const struct world *w, knell_rank rank)
{
    return w->slot[rank].node;
}

static bool has_left(const struct world *w, knell_rank rank)
{
    return knell_node_state(at(w, rank)) == KNELL_STATE_LEFT;
}

/* Questions on the wire: decisions that want an answer. */
static uint32_t questions(const struct world *w, knell_rank to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->wire_count; i++)
        count += w->wire[i].held->body.type == KNELL_MESSAGE_DOWN &&
                 (w->wire[i].held->body.flags & KNELL_FLAG_ANSWER) && (to == KNELL_NOBODY || w->wire[i].to == to);
    return count;
}

static void propose_all(struct world *w, uint64_t group, uint8_t value)
{
    for (knell_rank r = 0; r < w->config.ranks; r++)
        if (world_alive(w, r))
            CHECK_EQ_I64(world_propose(w, r, group, KNELL_KIND_AGREE, (uint8_t)(value & ~(1u << r % 8)), 0), 0);
}

TEST(who_returned_nothing_leaves_at_once)
{
    struct world w;
    world_open(&w, 4);
    world_start(&w);
    world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0); /* waits: has not returned */
    CHECK_EQ_I64(world_leave(&w, 1), 0);
    CHECK(has_left(&w, 1));
    CHECK(world_find(&w, KNELL_MESSAGE_BROADCAST, KNELL_NOBODY) >= 0);
    CHECK_EQ_I64(world_leave(&w, 1), KNELL_ESTOPPED);
    world_close(&w);
}

/* The root decides, returns and leaves; everything but its farewell is slow. */
TEST(a_farewell_never_overtakes_a_decision)
{
    struct world w;
    world_open(&w, 3);
    world_start(&w);
    propose_all(&w, KNELL_WORLD, 0xff);
    while (!world_fact(&w, 0, KNELL_FACT_DECIDED))
        world_deliver(&w, 0);
    world_leave(&w, 0);
    CHECK(!has_left(&w, 0));
    CHECK_EQ_I64(world_find(&w, KNELL_MESSAGE_BROADCAST, KNELL_NOBODY), -1);
    CHECK_EQ_I64(world_propose(&w, 0, KNELL_WORLD, KNELL_KIND_SHRINK, 1, 0), KNELL_ESTOPPED);
    CHECK_EQ_I64(world_revoke(&w, 0, KNELL_WORLD), KNELL_ESTOPPED);
    CHECK_EQ_I64(world_group(&w, 0, &(struct knell_group){9, 2, (const knell_rank[]){0, 1}}), KNELL_ESTOPPED);
    CHECK_EQ_U64(questions(&w, KNELL_NOBODY), 1);
    while (!has_left(&w, 0)) { /* the slow ones are the decisions without a question */
        uint32_t i = 0;
        while (i < w.wire_count && w.wire[i].held->body.type == KNELL_MESSAGE_DOWN &&
               !(w.wire[i].held->body.flags & (KNELL_FLAG_ANSWER | KNELL_FLAG_HELD)))
            i++;
        REQUIRE(i < w.wire_count);
        world_deliver(&w, i);
    }
    for (knell_rank r = 1; r < 3; r++) {
        const struct world_fact *fact = world_fact(&w, r, KNELL_FACT_DECIDED);
        REQUIRE(fact);
        CHECK(fact->value[0] == 0xf8 && fact->dead_mask == 0);
    }
    world_deliver_all(&w);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_LEFT, 0), 2);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_DECIDED, KNELL_NOBODY), 3);
    world_close(&w);
}

/* Who was told by its parent, and has no children, knows of nobody who might lack it. */
TEST(only_those_who_may_lack_it_are_asked)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    for (unsigned instance = 0; instance < 3; instance++) {
        propose_all(&w, KNELL_WORLD, 0xff);
        world_deliver_all(&w);
    }
    uint64_t before = w.sent[KNELL_MESSAGE_DOWN];
    world_leave(&w, 7);
    CHECK(has_left(&w, 7));
    CHECK_EQ_U64(w.sent[KNELL_MESSAGE_DOWN], before);
    world_deliver_all(&w);
    world_leave(&w, 4); /* asks 5 and 6 about the last instance alone: the one before is over for all */
    world_deliver_all(&w);
    CHECK(has_left(&w, 4));
    CHECK_EQ_U64(w.sent[KNELL_MESSAGE_DOWN],
                 before + 2 * 2 + 2 * 2); /* then 5 and 6 hand both on to their new parent */
    world_close(&w);
}

TEST(a_second_wish_to_leave_is_final)
{
    struct world w;
    world_open(&w, 4);
    world_start(&w);
    propose_all(&w, KNELL_WORLD, 0xff);
    world_deliver_all(&w);
    world_leave(&w, 0);
    CHECK(!has_left(&w, 0));
    CHECK_EQ_I64(world_leave(&w, 0), 0);
    CHECK(has_left(&w, 0));
    world_deliver_all(&w);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_LEFT, 0), 3);
    world_close(&w);
}

/* Who is asked dies instead of answering: then those behind it are asked, and once more those who may have relied on it. */
TEST(who_dies_instead_of_answering_is_passed_over)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    propose_all(&w, KNELL_WORLD, 0xff);
    while (!world_fact(&w, 0, KNELL_FACT_DECIDED))
        world_deliver(&w, 0);
    while (w.wire_count)
        world_lose(&w, 0); /* nobody has heard of the decision */
    world_leave(&w, 0);
    REQUIRE(questions(&w, 1) == 1);
    world_deliver_all(&w); /* all answer, and the farewell comes */
    CHECK(has_left(&w, 0));
    world_close(&w);

    world_open(&w, 8);
    world_start(&w);
    propose_all(&w, KNELL_WORLD, 0xff);
    world_deliver_all(&w);
    world_leave(&w, 0);
    world_crash(&w, 1);
    world_deliver_all(&w);
    CHECK(!has_left(&w, 0)); /* waits for 1 */
    world_suspect(&w, 0, 1, KNELL_WHY_KERNEL);
    world_deliver_all(&w);
    CHECK(has_left(&w, 0));
    world_close(&w);
}

/* When a neighbour fails after its answer, its part is asked anew: it may have died with the decision. */
TEST(a_death_makes_all_be_asked_again)
{
    struct world w;
    world_open(&w, 4); /* 0 has the children 1 and 2; 3 is below 2 */
    world_start(&w);
    propose_all(&w, KNELL_WORLD, 0xff);
    while (!world_fact(&w, 0, KNELL_FACT_DECIDED))
        world_deliver(&w, 0);
    while (w.wire_count)
        world_lose(&w, 0);
    world_leave(&w, 0);
    world_deliver(&w, 0); /* 1 takes it, */
    world_deliver(&w, 0); /* and says so */
    REQUIRE(questions(&w, 2) == 1);
    w.slot[2].may_send = 1; /* its answer goes out, its word to 3 does not */
    int question = world_find(&w, KNELL_MESSAGE_DOWN, 2);
    w.wire[question].held->body.dead = (struct knell_dead){0};
    world_deliver(&w, (uint32_t)question);
    world_crash(&w, 2);
    while (w.wire_count)
        world_lose(&w, 0);
    world_suspect(&w, 0, 2, KNELL_WHY_KERNEL);
    world_deliver_all(&w);
    CHECK(has_left(&w, 0));
    const struct world_fact *fact = world_fact(&w, 3, KNELL_FACT_DECIDED);
    REQUIRE(fact);
    CHECK(fact->value[0] == 0xf0);
    world_close(&w);
}

/* Who dropped the group answers all the same. */
TEST(who_dropped_the_group_answers)
{
    static const knell_rank members[] = {0, 1, 2};
    static const struct knell_group group[2] = {{5, 3, members}, {6, 3, members}};
    struct world w;
    world_open(&w, 3);
    w.limits.groups = 1;
    world_start(&w);
    for (knell_rank r = 0; r < 3; r++)
        world_group(&w, r, &group[0]);
    propose_all(&w, 5, 0xff);
    world_deliver_all(&w);
    world_drop(&w, 1, 5);
    world_drop(&w, 2, 5);
    world_group(&w, 2, &group[1]); /* in its place */
    uint32_t waiting = at(&w, 2)->pending_used;
    world_leave(&w, 0);
    world_deliver_all(&w);
    CHECK(has_left(&w, 0));
    CHECK_EQ_U64(at(&w, 2)->pending_used, waiting);
    world_close(&w);
}

/* All leave, each the moment it returns, whatever the order of messages: all get away, and all with the same decision. */
TEST(leaving_swarms)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct world w;
        struct knell_prng random;
        knell_prng_seed(&random, seed);
        uint32_t n = 2 + (uint32_t)knell_prng_below(&random, 8);
        world_open(&w, n);
        w.config.tree_bits = seed % 4;
        w.quiet = true;
        world_start(&w);
        test_context("seed %u", (unsigned)seed);
        propose_all(&w, KNELL_WORLD, 0xff);
        while (w.wire_count) {
            world_deliver(&w, (uint32_t)knell_prng_below(&random, w.wire_count));
            for (knell_rank r = 0; r < n; r++)
                if (world_alive(&w, r) && !at(&w, r)->leaving && world_fact(&w, r, KNELL_FACT_DECIDED) &&
                    (seed + r) % 5)
                    world_leave(&w, r);
        }
        world_run(&w, 400); /* many who leave at once cut each other's farewells: heartbeats bring the rest */
        const struct world_fact *first = world_fact(&w, 0, KNELL_FACT_DECIDED);
        for (knell_rank r = 0; r < n; r++) {
            const struct world_fact *fact = world_fact(&w, r, KNELL_FACT_DECIDED);
            REQUIRE(first && fact);
            CHECK(fact->value[0] == first->value[0] && fact->dead_mask == first->dead_mask);
            CHECK_EQ_U64(fact->fact.flags, first->fact.flags);
            CHECK(has_left(&w, r) == ((seed + r) % 5 != 0));
        }
        world_close(&w);
    }
}
