/* Groups: registration, messages that come before it, drop and tombstone, revoke. */
#include "test.h"
#include "util/prng.h"
#include "world.h"

static const knell_rank trio_members[] = {1, 4, 6};
static const struct knell_group trio = {.id = 77, .size = 3, .member = trio_members};

static struct knell_node *at(const struct world *w, knell_rank rank)
{
    return w->slot[rank].node;
}

static void register_all(struct world *w, const struct knell_group *group)
{
    for (uint32_t i = 0; i < group->size; i++)
        CHECK_EQ_I64(world_group(w, group->member[i], group), 0);
}

/* ---- the registry ------------------------------------------------------------------------------------------------ */

TEST(what_may_be_registered)
{
    static const knell_rank unsorted[] = {4, 1}, twice[] = {1, 1}, beyond[] = {1, 8}, others[] = {2, 3};
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    CHECK_EQ_I64(world_group(&w, 1, &(struct knell_group){5, 2, unsorted}), KNELL_EINVAL);
    CHECK_EQ_I64(world_group(&w, 1, &(struct knell_group){5, 2, twice}), KNELL_EINVAL);
    CHECK_EQ_I64(world_group(&w, 1, &(struct knell_group){5, 2, beyond}), KNELL_EINVAL);
    CHECK_EQ_I64(world_group(&w, 1, &(struct knell_group){5, 2, others}), KNELL_EINVAL); /* not a member */
    CHECK_EQ_I64(world_group(&w, 1, &(struct knell_group){5, 0, others}), KNELL_EINVAL);
    CHECK_EQ_I64(world_group(&w, 1, &(struct knell_group){KNELL_WORLD, 3, trio_members}), KNELL_EINVAL);
    CHECK_EQ_I64(world_group(&w, 1, &trio), 0);
    CHECK_EQ_I64(world_group(&w, 1, &trio), KNELL_EINVAL); /* twice */
    CHECK_EQ_I64(world_drop(&w, 1, 78), KNELL_EGROUP);
    CHECK_EQ_I64(world_drop(&w, 1, KNELL_WORLD), KNELL_EINVAL);
    CHECK_EQ_I64(world_revoke(&w, 1, 78), KNELL_EGROUP);
    CHECK_EQ_I64(world_propose(&w, 1, 78, KNELL_KIND_AGREE, 1, 0), KNELL_EGROUP);
    CHECK_EQ_I64(world_drop(&w, 1, 77), 0);
    CHECK_EQ_I64(world_drop(&w, 1, 77), KNELL_EGROUP);
    CHECK_EQ_I64(world_propose(&w, 1, 77, KNELL_KIND_AGREE, 1, 0), KNELL_EGROUP);
    CHECK_EQ_I64(world_group(&w, 1, &trio), KNELL_EINVAL); /* an id is never used twice */
    world_close(&w);
}

TEST(failures_of_a_group_are_those_of_its_members)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    register_all(&w, &trio);
    world_suspect(&w, 1, 5, KNELL_WHY_KERNEL);
    CHECK_EQ_U64(knell_node_failures(at(&w, 1), 77), 0);
    CHECK(knell_node_failures(at(&w, 1), KNELL_WORLD) != 0);
    world_suspect(&w, 1, 4, KNELL_WHY_KERNEL);
    CHECK(knell_node_failures(at(&w, 1), 77) != 0);
    CHECK_EQ_U64(knell_node_failures(at(&w, 1), 99), 0);
    world_close(&w);
}

/* Many groups come and go: entries of dropped ones are used again, the world stays. */
TEST(groups_come_and_go)
{
    struct world w;
    struct knell_group group[40];
    world_open(&w, 8);
    w.check_refusals = true;
    world_start(&w);
    for (unsigned i = 0; i < 40; i++) {
        group[i] = (struct knell_group){100 + i, 3, trio_members};
        register_all(&w, &group[i]);
        for (unsigned m = 0; m < 3; m++)
            world_propose(&w, trio_members[m], group[i].id, KNELL_KIND_AGREE, (uint8_t)(0xf0 | i), 0);
        world_deliver_shuffled(&w, i);
        const struct world_fact *fact = world_fact(&w, 6, KNELL_FACT_DECIDED);
        REQUIRE(fact);
        CHECK(fact->fact.group == group[i].id && fact->value[0] == (uint8_t)(0xf0 | i));
        if (i % 4 == 3)
            for (unsigned m = 0; m < 9; m++)
                world_drop(&w, trio_members[m % 3], group[i - m / 3 - 1].id);
    }
    world_close(&w);
}

/* ---- early messages ---------------------------------------------------------------------------------------------- */

TEST(messages_before_their_group)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct world w;
        world_open(&w, 8);
        w.check_refusals = true;
        w.move_each_step = seed & 1;
        world_start(&w);
        test_context("seed %u", (unsigned)seed);
        world_group(&w, 4, &trio);
        world_group(&w, 6, &trio);
        world_propose(&w, 6, 77, KNELL_KIND_AGREE, 0x0f, 0);
        world_propose(&w, 4, 77, KNELL_KIND_AGREE, 0x3c, 0);
        world_propose(&w, 6, 77, KNELL_KIND_SHRINK, 0x55, 0);
        world_revoke(&w, 6, 77);
        world_deliver_shuffled(&w, seed); /* 1 does not know the group yet, and is its root */
        CHECK(!knell_node_is_revoked(at(&w, 1), 77));
        CHECK(!world_fact(&w, 4, KNELL_FACT_DECIDED));
        world_group(&w, 1, &trio);
        CHECK(knell_node_is_revoked(at(&w, 1), 77));
        CHECK_EQ_U64(world_facts(&w, 1, KNELL_FACT_REVOKED, KNELL_NOBODY), 1);
        world_propose(&w, 1, 77, KNELL_KIND_AGREE, 0xff, 0);
        world_deliver_shuffled(&w, seed);
        for (unsigned m = 0; m < 3; m++) {
            const struct world_fact *fact = world_fact(&w, trio_members[m], KNELL_FACT_DECIDED);
            REQUIRE(fact);
            CHECK(fact->value[0] == 0x0c && fact->fact.kind == KNELL_KIND_AGREE);
        }
        world_close(&w);
    }
}

/* An early message of one who is dead by the time the group is registered is not heard any more; a revoke is. */
TEST(early_messages_of_the_dead)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    world_group(&w, 6, &trio);
    world_propose(&w, 6, 77, KNELL_KIND_AGREE, 0x0f, 0);
    world_deliver_all(&w);
    world_revoke(&w, 6, 77);
    world_deliver_all(&w);
    world_crash(&w, 6);
    world_suspect(&w, 1, 6, KNELL_WHY_KERNEL);
    world_deliver_all(&w);
    world_group(&w, 4, &trio);
    world_group(&w, 1, &trio);
    world_propose(&w, 4, 77, KNELL_KIND_AGREE, 0xff, 0);
    world_propose(&w, 1, 77, KNELL_KIND_AGREE, 0xf0, 0);
    world_deliver_all(&w);
    CHECK(knell_node_is_revoked(at(&w, 1), 77) && knell_node_is_revoked(at(&w, 4), 77));
    const struct world_fact *fact = world_fact(&w, 4, KNELL_FACT_DECIDED);
    REQUIRE(fact);
    CHECK(fact->value[0] == 0xf0 && fact->dead_mask == 1u << 6);
    world_close(&w);
}

/* A revoke that waited is passed on with its whole list: who left in it did not fail for those who learn it that
 * way. */
TEST(early_revoke_keeps_departures_apart)
{
    static const knell_rank members[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const struct knell_group dozen = {.id = 5, .size = 12, .member = members};
    struct world w;
    world_open(&w, 12);
    world_start(&w);
    for (knell_rank r = 0; r < 12; r++)
        if (r != 1 && r != 6)
            world_group(&w, r, &dozen);
    world_leave(&w, 6);
    while (w.wire_count) /* the farewell reaches 2 alone */
        if (w.wire[0].to == 2)
            world_deliver(&w, 0);
        else
            world_lose(&w, 0);
    world_revoke(&w, 2, 5);
    while (w.wire_count) /* and the revoke 1 alone, which does not know the group */
        if (w.wire[0].to == 1)
            world_deliver(&w, 0);
        else
            world_lose(&w, 0);
    world_group(&w, 1, &dozen);
    world_deliver_all(&w);
    for (knell_rank r = 0; r < 12; r++) {
        test_context("at %u", (unsigned)r);
        CHECK_EQ_U64(world_facts(&w, r, KNELL_FACT_FAILED, 6), 0);
        CHECK(r == 6 || world_facts(&w, r, KNELL_FACT_LEFT, 6) == 1);
    }
    world_close(&w);
}

TEST(stragglers_for_a_dropped_group_are_dropped)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    register_all(&w, &trio);
    world_propose(&w, 6, 77, KNELL_KIND_AGREE, 1, 0);
    world_drop(&w, 4, 77);
    world_drop(&w, 1, 77);
    uint64_t before = w.counters.messages_dropped;
    world_deliver_all(&w);
    CHECK_EQ_U64(w.counters.messages_dropped, before + 1);
    CHECK_EQ_U64(w.refusals,
                 3 + 1 + 2); /* for three registrations, one proposal and two drops; stragglers take no room */
    world_close(&w);
}

/* ---- revoke ------------------------------------------------------------------------------------------------------ */

/* Several members revoke at once, some are dead unknown to them: every living member is told once, nobody else ever. */
static void check_revoke(uint64_t seed)
{
    struct world w;
    struct knell_prng random;
    knell_rank member[24];
    struct knell_group group = {.id = 9, .member = member};
    knell_prng_seed(&random, seed);
    world_open(&w, 24);
    w.quiet = true;
    world_start(&w);
    for (knell_rank r = 0; r < 24; r++)
        if (knell_prng_below(&random, 4))
            member[group.size++] = r;
    if (group.size < 8) {
        world_close(&w);
        return;
    }
    register_all(&w, &group);
    uint32_t revokers = 1 + (uint32_t)knell_prng_below(&random, 4), dead = (uint32_t)knell_prng_below(&random, 3);
    for (uint32_t i = 0; i < dead; i++)
        world_crash(&w, member[knell_prng_below(&random, group.size)]);
    for (uint32_t i = 0; i < revokers; i++) {
        knell_rank who = member[knell_prng_below(&random, group.size)];
        if (world_alive(&w, who))
            world_revoke(&w, who, 9);
    }
    bool any = w.wire_count > 0;
    world_deliver_shuffled(&w, seed);
    for (knell_rank r = 0; r < 24 && any; r++) {
        bool is_member = false;
        for (uint32_t i = 0; i < group.size; i++)
            is_member |= member[i] == r;
        CHECK_EQ_U64(world_facts(&w, r, KNELL_FACT_REVOKED, KNELL_NOBODY), is_member && world_alive(&w, r));
        CHECK(knell_node_is_revoked(at(&w, r), 9) == (is_member && world_alive(&w, r)));
    }
    /* Same list, same graph: however many revoke, an edge carries it twice at most, once from each end. */
    CHECK(w.sent[KNELL_MESSAGE_REVOKE] <= group.size * 8);
    world_close(&w);
}

TEST(revoke_reaches_all_members_once)
{
    for (uint64_t seed = 0; seed < 500; seed++) {
        test_context("seed %u", (unsigned)seed);
        check_revoke(seed);
    }
}

TEST(revoke_of_the_world)
{
    struct world w;
    world_open(&w, 20);
    w.move_each_step = true;
    world_start(&w);
    world_suspect(&w, 3, 7, KNELL_WHY_KERNEL);
    world_crash(&w, 7);
    world_revoke(&w, 3, KNELL_WORLD);
    world_revoke(&w, 15, KNELL_WORLD);
    world_deliver_shuffled(&w, 4);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_REVOKED, KNELL_NOBODY), 19);
    CHECK_EQ_I64(world_revoke(&w, 3, KNELL_WORLD), 0); /* again: nothing more */
    CHECK_EQ_U64(w.wire_count, 0);
    world_close(&w);
}
