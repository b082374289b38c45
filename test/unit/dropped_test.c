/* Dropped groups are remembered, exactly and in little memory; and instances do not run over. */
#include "core/agree.h"
#include "core/dropped.h"
#include "test.h"
#include "util/prng.h"
#include "world.h"

#include <string.h>

static const knell_rank pair_members[] = {0, 1};

static struct knell_node *at(const struct world *w, knell_rank rank)
{
    return w->slot[rank].node;
}

/* Messages for each come long after it was dropped, and others took its place. */
TEST(stragglers_never_wait)
{
    static struct knell_group group[3000];
    uint8_t value = 7;
    struct world w;
    world_open(&w, 3);
    w.quiet = true;
    world_start(&w);
    for (uint32_t i = 0; i < 3000; i++) {
        group[i] = (struct knell_group){100 + i, 2, pair_members};
        CHECK_EQ_I64(world_group(&w, 0, &group[i]), 0);
        CHECK_EQ_I64(world_drop(&w, 0, group[i].id), 0);
        CHECK_EQ_I64(world_group(&w, 0, &group[i]), KNELL_EINVAL); /* an id is never used twice */
    }
    for (uint32_t i = 0; i < 3000; i++) {
        struct knell_body up = {
            .type = KNELL_MESSAGE_UP, .subject = KNELL_NOBODY, .group = 100 + i, .value = &value, .value_size = 1};
        world_inject(&w, 1, 0, up);
    }
    CHECK_EQ_U64(at(&w, 0)->pending_used, 0);
    CHECK_EQ_U64(at(&w, 0)->dropped, 1);
    CHECK_EQ_U64(at(&w, 0)->agreements, 0);
    CHECK(knell_node_size(&at(&w, 0)->limits) < 1500);
    struct knell_body early = {
        .type = KNELL_MESSAGE_UP, .subject = KNELL_NOBODY, .group = 99, .value = &value, .value_size = 1};
    world_inject(&w, 1, 0, early);
    CHECK(at(&w, 0)->pending_used > 0); /* this one was never here */
    CHECK_EQ_I64(world_drop(&w, 0, 99), KNELL_EGROUP);
    world_close(&w);
}

/* In any order, with holes: a bitmap says which were dropped and how many stretches they are. */
TEST(dropped_ids_against_a_bitmap)
{
    static struct knell_group group[200];
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct world w;
        struct knell_prng random;
        bool dropped[202] = {false};
        knell_prng_seed(&random, seed);
        world_open(&w, 3);
        w.quiet = true;
        w.check_refusals = true;
        world_start(&w);
        test_context("seed %u", (unsigned)seed);
        for (unsigned step = 0; step < 150; step++) {
            uint32_t i = 1 + (uint32_t)knell_prng_below(&random, 199);
            if (dropped[i])
                continue;
            group[i] = (struct knell_group){i, 2, pair_members};
            CHECK_EQ_I64(world_group(&w, 0, &group[i]), 0);
            CHECK_EQ_I64(world_drop(&w, 0, i), 0);
            dropped[i] = true;
        }
        uint32_t count = 0;
        for (uint32_t i = 1; i < 201; i++) {
            CHECK(knell__is_dropped(at(&w, 0), i) == dropped[i]);
            count += dropped[i] && !dropped[i - 1];
        }
        CHECK_EQ_U64(at(&w, 0)->dropped, count);
        CHECK(!knell__is_dropped(at(&w, 0), KNELL_WORLD) && !knell__is_dropped(at(&w, 0), UINT64_MAX));
        world_close(&w);
    }
}

/* One group of several goes: what the others agree on and hold back stays theirs. */
TEST(a_drop_leaves_the_others_alone)
{
    static const struct knell_group group[3] = {{11, 2, pair_members}, {12, 2, pair_members}, {13, 2, pair_members}};
    struct world w;
    world_open(&w, 2);
    w.check_refusals = true;
    world_start(&w);
    for (unsigned g = 0; g < 3; g++)
        for (knell_rank r = 0; r < 2; r++)
            world_group(&w, r, &group[g]);
    for (unsigned g = 0; g < 3; g++) /* 1 has spoken in all of them: 0 keeps the values */
        world_propose(&w, 1, group[g].id, KNELL_KIND_AGREE, (uint8_t)(0xf0 | g), 0);
    world_deliver_all(&w);
    CHECK_EQ_I64(world_drop(&w, 0, 11), 0);
    world_revoke(&w, 1, 13);
    world_deliver_all(&w);
    CHECK(knell_node_is_revoked(at(&w, 0), 13) && !knell_node_is_revoked(at(&w, 0), 12));
    for (unsigned g = 1; g < 3; g++) {
        world_propose(&w, 0, group[g].id, KNELL_KIND_AGREE, 0xff, 0);
        world_deliver_all(&w);
        const struct world_fact *fact = world_fact(&w, 1, KNELL_FACT_DECIDED);
        REQUIRE(fact);
        CHECK(fact->fact.group == group[g].id && fact->value[0] == (0xf0 | g));
    }
    world_close(&w);
}

/* After 2^32 - 1 instances there are no more, and nothing breaks. */
TEST(instances_do_not_run_over)
{
    struct world w;
    world_open(&w, 2);
    world_start(&w);
    world_propose(&w, 0, KNELL_WORLD, KNELL_KIND_CREATE, 1, 0);
    world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_CREATE, 1, 0);
    world_deliver_all(&w);
    for (knell_rank r = 0; r < 2; r++) {
        struct knell__agreement *agreement = knell__agreement_find(at(&w, r), KNELL_WORLD, KNELL_KIND_CREATE);
        agreement->next = UINT32_MAX - 1;
        memset(agreement->slot, 0, sizeof agreement->slot);
    }
    for (knell_rank r = 0; r < 2; r++)
        CHECK_EQ_I64(world_propose(&w, r, KNELL_WORLD, KNELL_KIND_CREATE, 1, 0), 0);
    world_deliver_all(&w);
    const struct world_fact *fact = world_fact(&w, 1, KNELL_FACT_DECIDED);
    REQUIRE(fact);
    CHECK_EQ_U64(fact->fact.instance, UINT32_MAX - 1);
    for (knell_rank r = 0; r < 2; r++)
        CHECK_EQ_I64(world_propose(&w, r, KNELL_WORLD, KNELL_KIND_CREATE, 1, 0), KNELL_EINVAL);
    CHECK_EQ_I64(world_propose(&w, 0, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0), 0);
    CHECK_EQ_I64(world_revoke(&w, 0, KNELL_WORLD), 0); /* contributes to the instance that is not asked for */
    world_deliver_all(&w);
    CHECK(knell_node_is_revoked(at(&w, 1), KNELL_WORLD));
    world_close(&w);
}
