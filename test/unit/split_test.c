/* Splits (I13): which side goes on, what counts against it, and that nothing returns on the other one. */
#include "core/state.h"
#include "test.h"
#include "world.h"

static struct knell_node *at(const struct world *w, knell_rank rank)
{
    return w->slot[rank].node;
}

static void open_split(struct world *w, uint32_t ranks)
{
    world_open(w, ranks);
    w->config.on_split = KNELL_SPLIT_END;
    world_start(w);
}

static bool has_ended(const struct world *w, knell_rank rank)
{
    return world_facts(w, rank, KNELL_FACT_SPLIT, rank) == 1 && knell_node_state(at(w, rank)) == KNELL_STATE_FENCED;
}

TEST(more_silent_than_here)
{
    struct world w;
    open_split(&w, 5);
    world_suspect(&w, 0, 3, KNELL_WHY_TIMEOUT);
    world_suspect(&w, 0, 4, KNELL_WHY_OPERATOR);
    CHECK(!has_ended(&w, 0));
    struct knell_sides sides = knell_node_sides(at(&w, 0));
    CHECK_EQ_U64(sides.here, 3);
    CHECK_EQ_U64(sides.silent, 2);
    CHECK_EQ_U64(sides.lowest_here, 0);
    CHECK_EQ_U64(sides.lowest_silent, 3);
    world_suspect(&w, 0, 2, KNELL_WHY_TIMEOUT);
    REQUIRE(has_ended(&w, 0));
    CHECK_EQ_U64(world_fact(&w, 0, KNELL_FACT_SPLIT)->fact.sides.here, 2);
    CHECK_EQ_U64(world_fact(&w, 0, KNELL_FACT_SPLIT)->fact.sides.silent, 3);
    CHECK(world_find(&w, KNELL_MESSAGE_BROADCAST, 1) >= 0); /* those of its side hear why */
    world_close(&w);
}

TEST(halves_the_lowest_rank_decides)
{
    struct world w;
    open_split(&w, 4);
    world_suspect(&w, 0, 2, KNELL_WHY_TIMEOUT);
    world_suspect(&w, 0, 3, KNELL_WHY_TIMEOUT);
    CHECK(!has_ended(&w, 0));
    world_suspect(&w, 2, 1, KNELL_WHY_TIMEOUT);
    CHECK(!has_ended(&w, 2));
    world_suspect(&w, 2, 0, KNELL_WHY_TIMEOUT);
    CHECK(has_ended(&w, 2));
    world_close(&w);
}

/* Without the rule whoever is alone goes on, as in the papers. */
TEST(go_on_by_default)
{
    struct world w;
    world_open(&w, 3);
    world_start(&w);
    world_suspect(&w, 2, 0, KNELL_WHY_TIMEOUT);
    world_suspect(&w, 2, 1, KNELL_WHY_TIMEOUT);
    CHECK(world_alive(&w, 2));
    CHECK_EQ_U64(knell_node_sides(at(&w, 2)).silent, 0);
    CHECK_EQ_U64(knell_node_dead(at(&w, 2)).settled_ranges, 0);
    world_close(&w);
}

/* The kernel's word, the hardware's, one's own, a departure: these are on no other side. */
TEST(certain_ends_do_not_count)
{
    static const enum knell_why certain[] = {KNELL_WHY_KERNEL, KNELL_WHY_HARDWARE, KNELL_WHY_ENDED};
    struct world w;
    open_split(&w, 6);
    for (knell_rank r = 0; r < 3; r++)
        world_suspect(&w, 5, r, certain[r]);
    world_trigger(&w, 3);
    world_deliver_all(&w);
    CHECK_EQ_U64(knell_node_sides(at(&w, 5)).silent, 0);
    CHECK_EQ_U64(knell_node_sides(at(&w, 4)).silent, 0);
    CHECK_EQ_U64(knell_node_sides(at(&w, 4)).here, 2);
    world_leave(&w, 4);
    world_deliver_all(&w);
    CHECK(world_alive(&w, 5));
    CHECK_EQ_U64(knell_node_sides(at(&w, 5)).silent, 0);
    world_close(&w);
}

/* Who was silent first and is certain later counts no more, with all who hear of it. */
TEST(certain_dominates_silent)
{
    struct world w;
    open_split(&w, 5);
    world_suspect(&w, 0, 3, KNELL_WHY_TIMEOUT);
    world_deliver_all(&w);
    CHECK_EQ_U64(knell_node_sides(at(&w, 1)).silent, 1);
    world_suspect(&w, 2, 3, KNELL_WHY_KERNEL);
    world_deliver_all(&w);
    for (knell_rank r = 0; r < 5; r++)
        CHECK_EQ_U64(r == 3 ? 0 : knell_node_sides(at(&w, r)).silent, 0);
    world_suspect(&w, 1, 3, KNELL_WHY_TIMEOUT); /* and never back */
    CHECK_EQ_U64(knell_node_sides(at(&w, 1)).silent, 0);
    world_close(&w);
}

static void propose_all(struct world *w, uint64_t group, knell_rank first, knell_rank last)
{
    for (knell_rank r = first; r <= last; r++)
        CHECK_EQ_I64(world_propose(w, r, group, KNELL_KIND_SHRINK, 0xff, 0), 0);
}

/* Whom an agreement of all who live has left behind is no other side any more: 7, then 4, then 2 of 7 go on. */
TEST(an_agreement_settles)
{
    struct world w;
    open_split(&w, 7);
    for (knell_rank r = 4; r < 7; r++) {
        world_crash(&w, r);
        world_suspect(&w, 0, r, KNELL_WHY_TIMEOUT);
    }
    world_deliver_all(&w);
    propose_all(&w, KNELL_WORLD, 0, 3);
    world_deliver_all(&w);
    for (knell_rank r = 0; r < 4; r++) {
        REQUIRE(world_facts(&w, r, KNELL_FACT_DECIDED, r) == 1);
        CHECK(world_fact(&w, r, KNELL_FACT_DECIDED)->fact.flags & KNELL_FLAG_SETTLES);
        CHECK_EQ_U64(knell_node_sides(at(&w, r)).silent, 0);
    }
    world_crash(&w, 3);
    world_crash(&w, 2);
    world_suspect(&w, 0, 3, KNELL_WHY_TIMEOUT);
    world_suspect(&w, 0, 2, KNELL_WHY_TIMEOUT);
    world_deliver_all(&w);
    CHECK(world_alive(&w, 0) && world_alive(&w, 1));
    world_close(&w);
}

/* An agreement of some settles nothing: the others were not asked. */
TEST(an_agreement_of_some_settles_nothing)
{
    static const knell_rank member[] = {0, 1, 4};
    static const struct knell_group group = {.id = 9, .size = 3, .member = member};
    struct world w;
    open_split(&w, 5);
    for (unsigned i = 0; i < 3; i++)
        world_group(&w, member[i], &group);
    world_crash(&w, 4);
    world_suspect(&w, 0, 4, KNELL_WHY_TIMEOUT);
    world_deliver_all(&w);
    propose_all(&w, 9, 0, 1);
    world_deliver_all(&w);
    REQUIRE(world_facts(&w, 0, KNELL_FACT_DECIDED, 0) == 1);
    CHECK(!(world_fact(&w, 0, KNELL_FACT_DECIDED)->fact.flags & KNELL_FLAG_SETTLES));
    CHECK_EQ_U64(knell_node_sides(at(&w, 0)).silent, 1);
    world_close(&w);
}

/* The death that ends a side would also let its agreement return: it does not. */
TEST(nothing_returns_on_the_small_side)
{
    struct world w;
    open_split(&w, 3);
    world_propose(&w, 2, KNELL_WORLD, KNELL_KIND_SHRINK, 1, 0);
    world_suspect(&w, 2, 1, KNELL_WHY_TIMEOUT);
    world_suspect(&w, 2, 0, KNELL_WHY_TIMEOUT);
    CHECK(has_ended(&w, 2));
    CHECK_EQ_U64(world_facts(&w, 2, KNELL_FACT_DECIDED, 2), 0);
    CHECK_EQ_I64(world_propose(&w, 2, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0), KNELL_ESTOPPED);
    world_close(&w);
}

/* A list in a contribution ends the side of its receiver, which must not count the contribution. */
TEST(nothing_returns_by_a_contribution)
{
    struct world w;
    open_split(&w, 5);
    struct knell_range gone[] = {{2, 4, 0}};
    world_propose(&w, 0, KNELL_WORLD, KNELL_KIND_SHRINK, 1, 0);
    world_inject(&w, 1, 0,
                 (struct knell_body){.type = KNELL_MESSAGE_UP,
                                     .kind = KNELL_KIND_SHRINK,
                                     .subject = KNELL_NOBODY,
                                     .known = knell_digest_of(2) + knell_digest_of(3) + knell_digest_of(4),
                                     .dead = {.gone = gone, .gone_ranges = 1, .size = 3, .digest = 5}});
    CHECK(has_ended(&w, 0));
    CHECK_EQ_U64(world_facts(&w, 0, KNELL_FACT_DECIDED, 0), 0);
    world_close(&w);
}

/* 1 has spoken and did not know of 2's death, which 0 hears of: 0 waits until 1 has said it again, knowing. */
TEST(all_who_speak_know_the_same_dead)
{
    struct world w;
    open_split(&w, 4);
    world_crash(&w, 2);
    world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_SHRINK, 1, 0);
    world_propose(&w, 3, KNELL_WORLD, KNELL_KIND_SHRINK, 1, 0);
    world_deliver(&w, (uint32_t)world_find(&w, KNELL_MESSAGE_UP, 0)); /* of 1 */
    world_suspect(&w, 0, 2, KNELL_WHY_TIMEOUT);
    world_suspect(&w, 3, 2, KNELL_WHY_TIMEOUT); /* 3 turns to 0 */
    world_propose(&w, 0, KNELL_WORLD, KNELL_KIND_SHRINK, 1, 0);
    while (world_find(&w, KNELL_MESSAGE_UP, 0) >= 0)
        world_deliver(&w, (uint32_t)world_find(&w, KNELL_MESSAGE_UP, 0));
    CHECK_EQ_U64(world_facts(&w, 0, KNELL_FACT_DECIDED, 0), 0); /* 1 may think otherwise of 2 */
    world_deliver_all(&w);
    CHECK_EQ_U64(world_facts(&w, 0, KNELL_FACT_DECIDED, 0), 1);
    CHECK_EQ_U64(world_facts(&w, 1, KNELL_FACT_DECIDED, 1), 1);
    CHECK_EQ_U64(world_facts(&w, 3, KNELL_FACT_DECIDED, 3), 1);
    world_close(&w);
}

/* The same, where 0 knows of the death before it hears 1, which did not. */
TEST(who_knows_of_fewer_dead_says_it_again)
{
    struct world w;
    open_split(&w, 4);
    world_crash(&w, 2);
    world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_SHRINK, 1, 0);
    world_suspect(&w, 0, 2, KNELL_WHY_TIMEOUT);
    world_suspect(&w, 3, 2, KNELL_WHY_TIMEOUT);
    world_propose(&w, 0, KNELL_WORLD, KNELL_KIND_SHRINK, 1, 0);
    world_propose(&w, 3, KNELL_WORLD, KNELL_KIND_SHRINK, 1, 0);
    while (world_find(&w, KNELL_MESSAGE_UP, 0) >= 0)
        world_deliver(&w, (uint32_t)world_find(&w, KNELL_MESSAGE_UP, 0));
    CHECK_EQ_U64(world_facts(&w, 0, KNELL_FACT_DECIDED, 0), 0);
    world_deliver_all(&w);
    CHECK_EQ_U64(world_facts(&w, 0, KNELL_FACT_DECIDED, 0), 1);
    world_close(&w);
}

static void lose_all(struct world *w)
{
    while (w->wire_count)
        world_lose(w, 0);
}

/* Whoever missed the word of a certain death has it from the next list. */
TEST(lists_carry_the_settled)
{
    struct world w;
    open_split(&w, 6);
    world_suspect(&w, 0, 3, KNELL_WHY_KERNEL);
    lose_all(&w);
    world_suspect(&w, 0, 4, KNELL_WHY_TIMEOUT);
    world_deliver_all(&w);
    CHECK_EQ_U64(knell_node_sides(at(&w, 1)).here, 4);
    CHECK_EQ_U64(knell_node_sides(at(&w, 1)).silent, 1);
    world_close(&w);
}

/* Neighbours that hold the same for gone, and not the same for settled, notice it by their heartbeats. */
TEST(heartbeats_show_the_settled)
{
    struct world w;
    open_split(&w, 5);
    world_crash(&w, 3);
    world_suspect(&w, 0, 3, KNELL_WHY_TIMEOUT);
    world_deliver_all(&w);
    world_suspect(&w, 2, 3, KNELL_WHY_KERNEL);
    lose_all(&w);
    CHECK_EQ_U64(knell_node_sides(at(&w, 1)).silent, 1);
    world_run(&w, w.now + 100);
    for (knell_rank r = 0; r < 5; r++)
        CHECK_EQ_U64(r == 3 ? 0 : knell_node_sides(at(&w, r)).silent, 0);
    world_close(&w);
}

/* Across a split nobody learns that one has declared itself dead on the other side. */
TEST(a_trigger_is_not_told_to_the_dead)
{
    struct world w;
    open_split(&w, 5);
    world_suspect(&w, 1, 4, KNELL_WHY_TIMEOUT);
    world_trigger(&w, 1);
    while (w.wire_count)
        world_lose(&w, 0);
    world_inject(&w, 4, 1, (struct knell_body){.type = KNELL_MESSAGE_NEW_OBSERVER, .subject = KNELL_NOBODY});
    CHECK_EQ_I64(world_find(&w, KNELL_MESSAGE_TRIGGER, 4), -1);
    CHECK(world_find(&w, KNELL_MESSAGE_SYNC, 4) >= 0);
    world_close(&w);
}

/* One stretch of gone of which every other one is certain: that list is the longer one, and there is room for it. */
TEST(room_for_the_settled)
{
    struct world w;
    world_open(&w, 24);
    w.config.on_split = KNELL_SPLIT_END;
    w.limits = (struct knell_limits){.dead_ranges = 1, .sources = 1};
    w.check_refusals = true;
    w.move_each_step = true;
    world_start(&w);
    for (knell_rank r = 1; r < 12; r++)
        world_suspect(&w, 0, r, KNELL_WHY_TIMEOUT);
    for (knell_rank r = 1; r < 12; r += 2)
        world_suspect(&w, 0, r, KNELL_WHY_KERNEL);
    struct knell_dead dead = knell_node_dead(at(&w, 0));
    CHECK_EQ_U64(dead.gone_ranges, 1);
    CHECK_EQ_U64(dead.settled_ranges, 6);
    CHECK_EQ_U64(dead.settled[5].first, 11);
    world_deliver_all(&w);
    CHECK_EQ_U64(knell_node_dead(at(&w, 23)).settled_ranges, 6);
    world_close(&w);
}

/* A peer that lies about the dead of a decision settles nobody who lives. */
TEST(only_the_gone_are_settled)
{
    struct world w;
    open_split(&w, 8);
    struct knell_range gone[] = {{6, 6, 0}}, agreed[] = {{4, 7, 0}};
    world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_SHRINK, 1, 0);
    world_inject(&w, 0, 1,
                 (struct knell_body){.type = KNELL_MESSAGE_DOWN,
                                     .flags = KNELL_FLAG_SETTLES,
                                     .kind = KNELL_KIND_SHRINK,
                                     .subject = KNELL_NOBODY,
                                     .dead = {.gone = gone, .gone_ranges = 1, .size = 1, .digest = 5},
                                     .agreed = agreed,
                                     .agreed_ranges = 1});
    struct knell_dead dead = knell_node_dead(at(&w, 1));
    REQUIRE(dead.settled_ranges == 1);
    CHECK_EQ_U64(dead.settled[0].first, 6);
    CHECK_EQ_U64(dead.settled[0].last, 6);
    world_close(&w);
}
