/* Rules that only rare orders, hostile neighbours or little memory need: each test here is the one that misses its rule. */
#include "core/state.h"
#include "test.h"
#include "world.h"

#include <assert.h>
#include <string.h>

static const knell_rank trio_members[] = {1, 4, 6};
static const struct knell_group trio = {.id = 77, .size = 3, .member = trio_members};

static struct knell_node *at(const struct world *w, knell_rank rank)
{
    return w->slot[rank].node;
}

static void lose_all(struct world *w)
{
    while (w->wire_count)
        world_lose(w, 0);
}

static struct knell_body agreement(enum knell_message type, uint64_t group, uint32_t instance, const uint8_t *value)
{
    return (struct knell_body){.type = type,
                               .subject = KNELL_NOBODY,
                               .flags = KNELL_FLAG_ACKED | KNELL_FLAG_VALUE,
                               .group = group,
                               .sequence = instance,
                               .value = value,
                               .value_size = 1};
}

/* ---- agreement ---------------------------------------------------------------------------------------------------- */

TEST(strangers_to_a_group_are_not_heard)
{
    const uint8_t zero = 0;
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    for (unsigned m = 0; m < 3; m++)
        world_group(&w, trio_members[m], &trio);
    world_propose(&w, 1, 77, KNELL_KIND_AGREE, 0xff, 0);
    world_inject(&w, 2, 1, agreement(KNELL_MESSAGE_UP, 77, 0, &zero));
    world_inject(&w, 2, 1, agreement(KNELL_MESSAGE_DOWN, 77, 0, &zero));
    CHECK(!world_fact(&w, 1, KNELL_FACT_DECIDED));
    world_propose(&w, 4, 77, KNELL_KIND_AGREE, 0xf0, 0);
    world_propose(&w, 6, 77, KNELL_KIND_AGREE, 0xff, 0);
    world_deliver_all(&w);
    const struct world_fact *fact = world_fact(&w, 1, KNELL_FACT_DECIDED);
    REQUIRE(fact);
    CHECK_EQ_U64(fact->value[0], 0xf0);
    world_close(&w);
}

TEST(instances_far_ahead_cannot_have_begun)
{
    const uint8_t value = 1;
    struct world w;
    world_open(&w, 2);
    world_start(&w);
    world_inject(&w, 1, 0, agreement(KNELL_MESSAGE_UP, KNELL_WORLD, 5, &value));
    for (uint32_t instance = 0; instance < 3; instance++) {
        for (knell_rank r = 0; r < 2; r++)
            world_propose(&w, r, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0);
        world_deliver_all(&w);
        CHECK_EQ_U64(world_facts(&w, 1, KNELL_FACT_DECIDED, 1), instance + 1);
    }
    world_close(&w);
}

static void propose_bytes(struct world *w, knell_rank rank, uint32_t size)
{
    static const uint8_t ones[4] = {0xff, 0xff, 0xff, 0xff};
    CHECK_EQ_I64(
        world_step(w, rank,
                   (struct knell_event){.type = KNELL_EVENT_PROPOSE, .as.propose = {.size = size, .value = ones}}),
        0);
}

/* 2 and 3 bring different sizes; what 2 passes on has the size that 0 and 1 bring: only its flag says that they differ. */
TEST(sizes_that_differ_far_below_are_told)
{
    struct world w;
    world_open(&w, 4);
    world_start(&w);
    propose_bytes(&w, 0, 1);
    propose_bytes(&w, 1, 1);
    propose_bytes(&w, 2, 4);
    propose_bytes(&w, 3, 1);
    world_deliver_all(&w);
    const struct world_fact *fact = world_fact(&w, 1, KNELL_FACT_DECIDED);
    REQUIRE(fact);
    CHECK_EQ_U64(fact->fact.value_size, 1);
    CHECK(fact->fact.flags & KNELL_FLAG_MISMATCH);
    world_close(&w);
}

/* Whichever comes first, the value that all have is as long as the shortest. */
TEST(the_shortest_value_counts)
{
    for (unsigned first = 0; first < 2; first++) {
        struct world w;
        world_open(&w, 2);
        world_start(&w);
        test_context("the root brings %u bytes", first ? 1 : 3);
        propose_bytes(&w, 0, first ? 1 : 3);
        propose_bytes(&w, 1, first ? 3 : 1);
        world_deliver_all(&w);
        for (knell_rank r = 0; r < 2; r++) {
            const struct world_fact *fact = world_fact(&w, r, KNELL_FACT_DECIDED);
            REQUIRE(fact);
            CHECK_EQ_U64(fact->fact.value_size, 1);
            CHECK(fact->fact.flags & KNELL_FLAG_MISMATCH);
        }
        world_close(&w);
    }
}

/* ---- departure ---------------------------------------------------------------------------------------------------- */

static bool is_asked(const struct world *w, knell_rank rank)
{
    for (uint32_t i = 0; i < w->wire_count; i++)
        if (w->wire[i].to == rank && w->wire[i].held->body.type == KNELL_MESSAGE_DOWN &&
            (w->wire[i].held->body.flags & KNELL_FLAG_ANSWER))
            return true;
    return false;
}

static void answer(struct world *w, knell_rank from, knell_rank to, uint32_t instance)
{
    world_inject(
        w, from, to,
        (struct knell_body){
            .type = KNELL_MESSAGE_DOWN, .subject = KNELL_NOBODY, .flags = KNELL_FLAG_HELD, .sequence = instance});
}

static void agree_once(struct world *w)
{
    for (knell_rank r = 0; r < w->config.ranks; r++)
        world_propose(w, r, KNELL_WORLD, KNELL_KIND_AGREE, 1, 0);
    world_deliver_all(w);
}

TEST(only_the_answer_to_the_question_counts)
{
    struct world w;
    world_open(&w, 4);
    world_start(&w);
    agree_once(&w);
    world_leave(&w, 0);
    REQUIRE(is_asked(&w, 1));
    lose_all(&w);
    answer(&w, 1, 0, 2); /* of another instance, */
    answer(&w, 2, 0, 0); /* of one that was not asked */
    CHECK(!is_asked(&w, 2));
    answer(&w, 1, 0, 0);
    CHECK(is_asked(&w, 2));
    world_close(&w);
}

TEST(after_a_death_all_are_asked_again)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    agree_once(&w);
    world_leave(&w, 0);
    answer(&w, 1, 0, 0);
    answer(&w, 2, 0, 0);
    lose_all(&w);
    world_crash(&w, 2);
    world_suspect(&w, 0, 2, KNELL_WHY_KERNEL);
    CHECK(is_asked(&w, 1));
    lose_all(&w);
    answer(&w, 1, 0, 0);
    CHECK(is_asked(&w, 3)); /* that was 2's to tell */
    lose_all(&w);
    answer(&w, 3, 0, 0);
    CHECK(is_asked(&w, 4));
    CHECK(knell_node_state(at(&w, 0)) == KNELL_STATE_RUNNING);
    answer(&w, 4, 0, 0);
    CHECK(knell_node_state(at(&w, 0)) == KNELL_STATE_LEFT);
    world_close(&w);
}

/* 0 decides, tells 2 alone and dies. When 2 leaves, its parent is 1, which may not have it. */
TEST(a_parent_that_did_not_tell_is_asked)
{
    struct world w;
    world_open(&w, 4);
    world_start(&w);
    w.slot[0].may_send = 1;
    agree_once(&w);
    world_crash(&w, 0);
    CHECK(world_fact(&w, 2, KNELL_FACT_DECIDED) && !world_fact(&w, 1, KNELL_FACT_DECIDED));
    world_suspect(&w, 2, 0, KNELL_WHY_KERNEL);
    lose_all(&w);
    world_leave(&w, 2);
    answer(&w, 3, 2, 0);
    CHECK(is_asked(&w, 1));
    CHECK(knell_node_state(at(&w, 2)) == KNELL_STATE_RUNNING);
    answer(&w, 1, 2, 0);
    CHECK(knell_node_state(at(&w, 2)) == KNELL_STATE_LEFT);
    world_close(&w);
}

/* ---- broadcast and revoke ------------------------------------------------------------------------------------------ */

/* latest_only: no list goes with it, only the name. */
TEST(a_broadcast_that_names_this_node_is_enough)
{
    struct world w;
    world_open(&w, 4);
    world_start(&w);
    struct knell_body news = {
        .type = KNELL_MESSAGE_BROADCAST, .source = 2, .sequence = 1, .subject = 1, .why = KNELL_WHY_TIMEOUT};
    world_inject(&w, 2, 1, news);
    CHECK(knell_node_state(at(&w, 1)) == KNELL_STATE_FENCED);
    world_close(&w);
}

/* 4 knows from elsewhere that 3 has left when the farewell comes. It may still be the only way to another. */
TEST(a_farewell_is_passed_on_by_who_knows_already)
{
    struct world w;
    struct knell_range three = {3, 3, 0};
    struct knell_body list = {.type = KNELL_MESSAGE_SYNC, .subject = KNELL_NOBODY};
    list.dead = (struct knell_dead){
        .gone = &three, .left = &three, .gone_ranges = 1, .left_ranges = 1, .size = 1, .digest = 99};
    world_open(&w, 8);
    world_start(&w);
    world_inject(&w, 5, 4, list);
    lose_all(&w);
    world_leave(&w, 3);
    int farewell = world_find(&w, KNELL_MESSAGE_BROADCAST, 4);
    REQUIRE(farewell >= 0);
    uint64_t before = w.sent[KNELL_MESSAGE_BROADCAST];
    world_deliver(&w, (uint32_t)farewell);
    CHECK(w.sent[KNELL_MESSAGE_BROADCAST] > before);
    world_close(&w);
}

/* All neighbours of the one who revokes are dead, and it does not know: when it learns, it floods again. */
TEST(a_revoke_is_spread_again_when_a_member_dies)
{
    static const knell_rank dead[] = {1, 2, 4, 8, 10, 11};
    struct world w;
    world_open(&w, 12);
    world_start(&w);
    for (unsigned i = 0; i < 6; i++)
        world_crash(&w, dead[i]);
    world_revoke(&w, 0, KNELL_WORLD);
    world_deliver_all(&w);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_REVOKED, KNELL_NOBODY), 1);
    for (unsigned i = 0; i < 6; i++)
        world_suspect(&w, 0, dead[i], KNELL_WHY_KERNEL);
    world_deliver_all(&w);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_REVOKED, KNELL_NOBODY), 6);
    world_close(&w);
}

static struct knell_body revoke(const struct knell_range *gone, uint32_t size, uint64_t group)
{
    struct knell_body body = {.type = KNELL_MESSAGE_REVOKE, .subject = KNELL_NOBODY, .source = 5, .group = group};
    body.dead = (struct knell_dead){.gone = gone, .gone_ranges = size, .size = size, .digest = size * UINT64_C(1000)};
    return body;
}

TEST(a_revoke_over_an_older_graph_is_not_forwarded)
{
    static const struct knell_range gone[] = {{7, 7, 0}, {9, 9, 1}};
    struct world w;
    world_open(&w, 12);
    world_start(&w);
    world_inject(&w, 5, 4, revoke(gone, 2, KNELL_WORLD));
    uint64_t before = w.sent[KNELL_MESSAGE_REVOKE];
    CHECK(before > 0);
    world_inject(&w, 5, 4, revoke(gone, 1, KNELL_WORLD));
    CHECK_EQ_U64(w.sent[KNELL_MESSAGE_REVOKE], before);
    world_close(&w);
}

TEST(an_early_revoke_is_forwarded_with_its_list)
{
    static const struct knell_range gone[] = {{7, 7, 0}};
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    world_inject(&w, 6, 4, revoke(gone, 1, 77));
    lose_all(&w);
    world_group(&w, 4, &trio);
    int sent = world_find(&w, KNELL_MESSAGE_REVOKE, KNELL_NOBODY);
    CHECK(sent < 0); /* its source is no member, so its graph has no beginning; but this one has: */
    struct knell_body second = revoke(gone, 1, 78);
    static const struct knell_group other = {.id = 78, .size = 3, .member = trio_members};
    second.source = 6;
    world_inject(&w, 6, 4, second);
    world_group(&w, 4, &other);
    sent = world_find(&w, KNELL_MESSAGE_REVOKE, KNELL_NOBODY);
    REQUIRE(sent >= 0);
    CHECK_EQ_U64(w.wire[sent].held->body.dead.gone_ranges, 1);
    CHECK(w.wire[sent].held->body.dead.gone[0].first == 7);
    world_close(&w);
}

/* ---- little memory -------------------------------------------------------------------------------------------------- */

static void open_small(struct world *w, uint32_t ranks, uint32_t dead_ranges)
{
    world_open(w, ranks);
    w->limits = (struct knell_limits){.dead_ranges = dead_ranges, .sources = 16, .agreements = 4, .value_bytes = 8};
    w->check_refusals = true;
    world_start(w);
}

enum { DEAD_RANGES = 8 };

/* What rank 0 knows, for a message to it: its own list is gone when it moves to a larger place. */
static struct knell_dead copy_dead(struct world *w, struct knell_range room[2 * DEAD_RANGES])
{
    struct knell_dead dead = knell_node_dead(at(w, 0));
    assert(dead.gone_ranges <= DEAD_RANGES && dead.left_ranges <= DEAD_RANGES);
    memcpy(room, dead.gone, dead.gone_ranges * sizeof *room);
    memcpy(room + DEAD_RANGES, dead.left, dead.left_ranges * sizeof *room);
    dead.gone = room;
    dead.left = room + DEAD_RANGES;
    return dead;
}

TEST(room_for_a_suspicion_and_for_a_trigger)
{
    struct world w;
    open_small(&w, 16, 1);
    world_suspect(&w, 0, 3, KNELL_WHY_KERNEL);
    CHECK_EQ_U64(w.refusals, 0);
    world_suspect(&w, 0, 5, KNELL_WHY_KERNEL);
    CHECK_EQ_U64(w.refusals, 1);
    world_close(&w);
    open_small(&w, 16, 1);
    world_suspect(&w, 0, 3, KNELL_WHY_KERNEL);
    world_inject(&w, 5, 0, (struct knell_body){.type = KNELL_MESSAGE_TRIGGER, .subject = KNELL_NOBODY});
    CHECK_EQ_U64(w.refusals, 1);
    CHECK_EQ_U64(knell_node_dead(at(&w, 0)).size, 2);
    world_close(&w);
}

/* The list is the receiver's own; the subject is not in it. */
TEST(room_for_the_subject_of_a_broadcast)
{
    struct world w;
    struct knell_range room[2 * DEAD_RANGES];
    open_small(&w, 16, 1);
    world_suspect(&w, 0, 3, KNELL_WHY_KERNEL);
    struct knell_body news = {
        .type = KNELL_MESSAGE_BROADCAST, .source = 7, .sequence = 1, .subject = 5, .why = KNELL_WHY_TIMEOUT};
    news.dead = copy_dead(&w, room);
    world_inject(&w, 7, 0, news);
    CHECK_EQ_U64(w.refusals, 1);
    CHECK_EQ_U64(knell_node_dead(at(&w, 0)).size, 2);
    world_close(&w);
}

/* One stretch of gone, of which every other one turns out to have left: that list is the longer one. */
TEST(room_for_departures_alone)
{
    struct world w;
    struct knell_range room[2 * DEAD_RANGES];
    open_small(&w, 16, 2);
    for (knell_rank r = 1; r <= 5; r++)
        world_suspect(&w, 0, r, KNELL_WHY_KERNEL);
    for (knell_rank r = 1; r <= 5; r += 2) {
        struct knell_body news = {
            .type = KNELL_MESSAGE_BROADCAST, .source = r, .sequence = 1, .subject = r, .why = KNELL_WHY_LEFT};
        news.dead = copy_dead(&w, room);
        world_inject(&w, 7, 0, news);
    }
    CHECK_EQ_U64(w.refusals, 1);
    CHECK_EQ_U64(knell_node_dead(at(&w, 0)).left_ranges, 3);
    CHECK_EQ_U64(knell_node_dead(at(&w, 0)).gone_ranges, 1);
    world_close(&w);
}

/* A decision brings more dead than this node knows of. */
TEST(room_for_the_dead_of_a_decision)
{
    static const struct knell_range agreed[] = {{3, 3, 0}, {5, 5, 1}, {7, 7, 2}, {9, 9, 3}, {11, 11, 4}, {13, 13, 5}};
    const uint8_t value = 0x5a;
    struct world w;
    open_small(&w, 16, 1);
    world_propose(&w, 1, KNELL_WORLD, KNELL_KIND_AGREE, 0xff, 0);
    struct knell_body body = agreement(KNELL_MESSAGE_DOWN, KNELL_WORLD, 0, &value);
    body.agreed = agreed;
    body.agreed_ranges = 6;
    world_inject(&w, 0, 1, body);
    CHECK_EQ_U64(w.refusals, 1);
    const struct world_fact *fact = world_fact(&w, 1, KNELL_FACT_DECIDED);
    REQUIRE(fact);
    CHECK(fact->value[0] == 0x5a && fact->dead_mask == 0x2aa8);
    world_close(&w);
}

/* Many contributions wait for their group: what they cover is a list with holes. */
TEST(room_for_early_contributions)
{
    static const knell_rank members[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const struct knell_group eight = {.id = 5, .size = 8, .member = members};
    struct world w;
    world_open(&w, 16);
    w.config.tree_bits = 3;
    w.limits = (struct knell_limits){
        .dead_ranges = 1, .agreements = 4, .value_bytes = 8, .groups = 2, .pending_bytes = 1 << 14};
    w.check_refusals = true;
    world_start(&w);
    for (knell_rank r = 1; r < 8; r++)
        world_group(&w, r, &eight);
    for (knell_rank r = 1; r < 8; r += 2)
        world_propose(&w, r, 5, KNELL_KIND_AGREE, (uint8_t) ~(1u << r), 0);
    world_deliver_all(&w);
    uint64_t before = w.refusals;
    world_group(&w, 0, &eight);
    CHECK_EQ_U64(w.refusals, before + 1);
    world_propose(&w, 0, 5, KNELL_KIND_AGREE, 0xff, 0);
    for (knell_rank r = 2; r < 8; r += 2)
        world_propose(&w, r, 5, KNELL_KIND_AGREE, 0xff, 0);
    world_deliver_all(&w);
    const struct world_fact *fact = world_fact(&w, 7, KNELL_FACT_DECIDED);
    REQUIRE(fact);
    CHECK_EQ_U64(fact->value[0], 0x55);
    world_close(&w);
}
