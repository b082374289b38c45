/* D: merging, telling, departures, digests, and the fence. */
#include "test.h"
#include "util/prng.h"
#include "world.h"

#include <string.h>

/* A list of dead as a message carries it, out of a bitmap of gone and a bitmap of left. */
struct list {
    struct knell_range gone[32], left[32];
    struct knell_body body;
};

static uint32_t ranges_of(uint64_t set, struct knell_range *range)
{
    uint32_t count = 0, before = 0;
    for (knell_rank r = 0; r < 64; r++) {
        if (!(set >> r & 1))
            continue;
        if (count && range[count - 1].last + 1 == r)
            range[count - 1].last = r;
        else
            range[count++] = (struct knell_range){r, r, before};
        before++;
    }
    return count;
}

static const struct knell_body *make_sync(struct list *list, uint64_t gone, uint64_t left)
{
    list->body = (struct knell_body){
        .type = KNELL_MESSAGE_SYNC,
        .subject = KNELL_NOBODY,
        .dead = {.gone = list->gone, .left = list->left, .digest = gone * 31 + left + 1},
    };
    list->body.dead.gone_ranges = ranges_of(gone, list->gone);
    list->body.dead.left_ranges = ranges_of(left, list->left);
    list->body.dead.size = (uint32_t)__builtin_popcountll(gone);
    return &list->body;
}

static uint64_t mask_of(const struct knell_range *range, uint32_t count)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < count; i++)
        for (knell_rank r = range[i].first; r <= range[i].last; r++)
            set |= UINT64_C(1) << r;
    return set;
}

/* Node 63 of 64 learns random lists; a bitmap says what it must know and tell. The smallest memory, so that a range
 * written past its area is seen. */
TEST(merging_against_a_bitmap)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct world w;
        struct knell_prng random;
        uint64_t gone = 0, left = 0;
        knell_prng_seed(&random, seed);
        test_context("seed %u", (unsigned)seed);
        world_open(&w, 64);
        w.limits = (struct knell_limits){.dead_ranges = 1};
        w.check_refusals = true;
        w.quiet = true;
        world_start(&w);
        for (unsigned step = 0; step < 12; step++) {
            struct list list;
            uint64_t alive = UINT64_C(3) << 62;
            uint64_t more = knell_prng_next(&random) & knell_prng_next(&random) & knell_prng_next(&random) & ~alive;
            more |= step % 3 ? 0 : (knell_prng_next(&random) >> 40 << knell_prng_below(&random, 38)) & ~alive;
            uint64_t departed = more & knell_prng_next(&random);
            gone |= more;
            left |= departed;
            world_inject(&w, 62, 63, *make_sync(&list, more, departed));
            struct knell_dead dead = knell_node_dead(w.slot[63].node);
            CHECK_EQ_U64(mask_of(dead.gone, dead.gone_ranges), gone);
            CHECK_EQ_U64(mask_of(dead.left, dead.left_ranges), left);
            CHECK_EQ_U64(dead.size, (uint64_t)__builtin_popcountll(gone));
        }
        for (knell_rank r = 0; r < 62; r++) {
            CHECK(world_facts(&w, 63, KNELL_FACT_LEFT, r) == (left >> r & 1));
            CHECK(world_facts(&w, 63, KNELL_FACT_FAILED, r) <= (gone >> r & 1));
            CHECK(!(gone >> r & 1) || left >> r & 1 || world_facts(&w, 63, KNELL_FACT_FAILED, r) == 1);
        }
        world_close(&w);
    }
}

/* One stretch of gone with many departures in it: the list of the gone must hold them one by one for a moment. */
TEST(departures_scattered_in_one_stretch)
{
    struct world w;
    struct list list;
    world_open(&w, 64);
    w.limits = (struct knell_limits){.dead_ranges = 5};
    w.check_refusals = true;
    world_start(&w);
    world_inject(&w, 62, 63, *make_sync(&list, 1u << 1 | 1u << 3 | 1u << 5, 0)); /* three stretches apart */
    world_inject(&w, 62, 63, *make_sync(&list, 0x3ffu << 20, 0x155u << 20));     /* one stretch, five of it left */
    struct knell_dead dead = knell_node_dead(w.slot[63].node);
    CHECK_EQ_U64(mask_of(dead.gone, dead.gone_ranges), 0x3ffu << 20 | 0x2a);
    CHECK_EQ_U64(mask_of(dead.left, dead.left_ranges), 0x155u << 20);
    world_close(&w);
}

TEST(digest_does_not_depend_on_the_order)
{
    struct world w;
    struct list list;
    world_open(&w, 64);
    world_start(&w);
    world_inject(&w, 62, 10, *make_sync(&list, 6, 2));
    world_inject(&w, 62, 10, *make_sync(&list, 24, 0));
    world_inject(&w, 62, 11, *make_sync(&list, 24, 0));
    world_inject(&w, 62, 11, *make_sync(&list, 6, 2));
    world_inject(&w, 62, 12, *make_sync(&list, 30, 0));
    uint64_t a = knell_node_dead(w.slot[10].node).digest, b = knell_node_dead(w.slot[11].node).digest;
    CHECK_EQ_U64(a, b);
    CHECK(knell_node_dead(w.slot[12].node).digest != a); /* who left counts too */
    CHECK_EQ_U64(knell_node_failures(w.slot[12].node, KNELL_WORLD), knell_node_failures(w.slot[10].node, KNELL_WORLD));
    world_close(&w);
}

/* ---- departures -------------------------------------------------------------------------------------------------- */

static void check_departure(enum knell_overlay overlay, bool latest_only)
{
    struct world w;
    world_open(&w, 9);
    w.config.overlay = overlay;
    w.config.latest_only = latest_only;
    world_start(&w);
    world_run(&w, 25);
    CHECK_EQ_I64(world_leave(&w, 4), 0);
    CHECK(knell_node_state(w.slot[4].node) == KNELL_STATE_LEFT);
    CHECK(knell_node_deadline(w.slot[4].node) == KNELL_NEVER);
    CHECK_EQ_I64(world_tick(&w, 4), KNELL_ESTOPPED);
    world_run(&w, 200);
    for (knell_rank r = 0; r < 9; r++) {
        test_context("at %u", (unsigned)r);
        CHECK_EQ_U64(world_facts(&w, r, KNELL_FACT_LEFT, 4), r != 4);
        CHECK_EQ_U64(world_facts(&w, r, KNELL_FACT_FAILED, KNELL_NOBODY), 0);
    }
    CHECK_EQ_U64(knell_node_emitter(w.slot[5].node), 3);
    CHECK_EQ_U64(knell_node_observer(w.slot[3].node), 5);
    CHECK_EQ_U64(w.counters.suspicions, 0);
    world_close(&w);
}

TEST(leaving_is_not_failing)
{
    check_departure(KNELL_OVERLAY_CIRCULANT, false);
    check_departure(KNELL_OVERLAY_CIRCULANT, true);
    check_departure(KNELL_OVERLAY_HBA, false);
    check_departure(KNELL_OVERLAY_HBA, true);
}

/* Suspected here, known as departed there: departure wins everywhere, told once, and is never taken back. */
TEST(left_dominates)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    world_leave(&w, 3);
    world_suspect(&w, 6, 3, KNELL_WHY_KERNEL); /* the news overtakes the farewell */
    world_deliver_shuffled(&w, 5);
    world_run(&w, 100);
    for (knell_rank r = 0; r < 8; r++) {
        if (r == 3)
            continue;
        test_context("at %u", (unsigned)r);
        CHECK_EQ_U64(world_facts(&w, r, KNELL_FACT_LEFT, 3), 1);
        CHECK(world_facts(&w, r, KNELL_FACT_FAILED, 3) <= 1);
        world_suspect(&w, r, 3, KNELL_WHY_OPERATOR);
        CHECK_EQ_U64(world_facts(&w, r, KNELL_FACT_LEFT, 3), 1);
    }
    uint64_t digest = knell_node_dead(w.slot[0].node).digest;
    for (knell_rank r = 0; r < 8; r++)
        CHECK(r == 3 || knell_node_dead(w.slot[r].node).digest == digest);
    world_close(&w);
}

/* ---- the fence --------------------------------------------------------------------------------------------------- */

/* A process that still beats though it was declared dead is told by its observer, ends, and says so once. */
TEST(falsely_suspected_is_fenced)
{
    struct world w;
    world_open(&w, 6);
    world_start(&w);
    world_run(&w, 15);
    world_suspect(&w, 3, 2, KNELL_WHY_OPERATOR);
    world_run(&w, 60);
    CHECK(knell_node_state(w.slot[2].node) == KNELL_STATE_FENCED);
    CHECK_EQ_U64(world_facts(&w, 2, KNELL_FACT_FENCED, 2), 1);
    CHECK_EQ_U64(w.counters.fenced, 1);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_FAILED, 2), 5);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_FAILED, KNELL_NOBODY), 5);
    CHECK_EQ_I64(world_tick(&w, 2), KNELL_ESTOPPED);
    world_close(&w);
}

TEST(every_list_with_oneself_in_it_fences)
{
    static const enum knell_message type[] = {KNELL_MESSAGE_SYNC, KNELL_MESSAGE_BROADCAST, KNELL_MESSAGE_REVOKE,
                                              KNELL_MESSAGE_UP, KNELL_MESSAGE_DOWN};
    for (unsigned i = 0; i < sizeof type / sizeof *type; i++) {
        struct world w;
        struct list list;
        world_open(&w, 8);
        world_start(&w);
        struct knell_body body = *make_sync(&list, 4, 0);
        body.type = (uint8_t)type[i];
        body.sequence = 1;
        test_context("%s", knell_message_text(type[i]));
        CHECK_EQ_I64(world_inject(&w, 5, 2, body), 0);
        CHECK(knell_node_state(w.slot[2].node) == KNELL_STATE_FENCED);
        CHECK_EQ_U64(world_facts(&w, 2, KNELL_FACT_FENCED, 2), 1);
        CHECK_EQ_U64(w.wire_count, 0); /* the dead forward nothing */
        world_close(&w);
    }
}

TEST(nothing_from_the_dead_is_heard)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    world_suspect(&w, 0, 5, KNELL_WHY_KERNEL);
    while (w.wire_count)
        world_lose(&w, 0);
    world_inject(&w, 5, 0, (struct knell_body){.type = KNELL_MESSAGE_TRIGGER, .subject = KNELL_NOBODY});
    struct knell_body news = {.type = KNELL_MESSAGE_BROADCAST, .source = 5, .sequence = 1, .subject = 3};
    news.why = KNELL_WHY_TIMEOUT;
    world_inject(&w, 5, 0, news);
    CHECK(!knell_node_is_gone(w.slot[0].node, 3));
    CHECK_EQ_U64(w.counters.messages_dropped, 2);
    CHECK_EQ_U64(w.wire_count, 0);
    world_inject(&w, 5, 0, (struct knell_body){.type = KNELL_MESSAGE_HEARTBEAT, .subject = KNELL_NOBODY});
    CHECK_EQ_I64(world_find(&w, KNELL_MESSAGE_SYNC, 5), 0); /* but it is told */
    world_close(&w);
}

/* What names ranks, kinds or reasons that do not exist is refused before it does harm. */
TEST(messages_out_of_range_are_refused)
{
    struct world w;
    struct list list;
    uint8_t value[1] = {0};
    world_open(&w, 8);
    w.limits = (struct knell_limits){8, 8, 8, 8, 8, 4096, 8};
    world_start(&w);
    struct knell_body sync = *make_sync(&list, UINT64_C(1) << 8, 0);
    CHECK_EQ_I64(world_inject(&w, 1, 0, sync), KNELL_EINVAL);
    struct knell_body news = {.type = KNELL_MESSAGE_BROADCAST, .source = 1, .sequence = 1, .subject = 2};
    news.why = KNELL_WHY_TIMEOUT;
    struct knell_body bad = news;
    bad.subject = 8;
    CHECK_EQ_I64(world_inject(&w, 1, 0, bad), KNELL_EINVAL);
    bad = news, bad.source = 8;
    CHECK_EQ_I64(world_inject(&w, 1, 0, bad), KNELL_EINVAL);
    bad = news, bad.why = KNELL_WHY_END;
    CHECK_EQ_I64(world_inject(&w, 1, 0, bad), KNELL_EINVAL);
    struct knell_body up = {.type = KNELL_MESSAGE_UP, .subject = KNELL_NOBODY, .value = value, .value_size = 1};
    bad = up, bad.kind = KNELL_KIND_END;
    CHECK_EQ_I64(world_inject(&w, 1, 0, bad), KNELL_EINVAL);
    bad = up, bad.value_size = KNELL_VALUE_MAX + 1;
    CHECK_EQ_I64(world_inject(&w, 1, 0, bad), KNELL_EINVAL);
    bad = up, bad.type = KNELL_MESSAGE_END;
    CHECK_EQ_I64(world_inject(&w, 1, 0, bad), KNELL_EINVAL);
    CHECK_EQ_I64(world_inject(&w, 8, 0, up), KNELL_EINVAL);
    CHECK_EQ_I64(world_inject(&w, 0, 0, up), KNELL_EINVAL);
    CHECK_EQ_U64(w.fact_count + w.wire_count, 0);
    world_close(&w);
}

TEST(suspicions_out_of_range_are_refused)
{
    struct world w;
    world_open(&w, 4);
    world_start(&w);
    CHECK_EQ_I64(world_suspect(&w, 0, 4, KNELL_WHY_KERNEL), KNELL_EINVAL);
    CHECK_EQ_I64(world_suspect(&w, 0, 0, KNELL_WHY_KERNEL), KNELL_EINVAL);
    CHECK_EQ_I64(world_suspect(&w, 0, 1, 0), KNELL_EINVAL);
    CHECK_EQ_I64(world_suspect(&w, 0, 1, KNELL_WHY_END), KNELL_EINVAL);
    CHECK_EQ_I64(world_suspect(&w, 0, 1, KNELL_WHY_LEFT), KNELL_EINVAL); /* only who leaves can say so */
    CHECK_EQ_U64(w.fact_count + w.wire_count, 0);
    world_close(&w);
}
