/* The node's memory: refused steps leave no trace, nodes may move, and how much there is changes nothing but refusals.
 *
 * One random world with everything in it (deaths, departures, outside suspicion, groups, revokes, agreements) is run in
 * several memories; the logs of all messages and facts must be the same, byte for byte. */
#include "test.h"
#include "util/prng.h"
#include "world.h"

#include "core/state.h"

#include <stdlib.h>
#include <string.h>

#define RANKS 24

struct cast {
    knell_rank member[3][RANKS];
    struct knell_group group[3];
};

static void make_groups(struct cast *cast, struct knell_prng *random)
{
    for (unsigned g = 0; g < 3; g++) {
        cast->group[g] = (struct knell_group){.id = 10 + g, .member = cast->member[g]};
        for (knell_rank r = 0; r < RANKS; r++)
            if (knell_prng_below(random, 3) || (r == RANKS - 1 && cast->group[g].size == 0))
                cast->member[g][cast->group[g].size++] = r;
    }
}

/* One thing that a driver may wish; errors such as KNELL_EBUSY belong to it. */
static void do_something(struct world *w, const struct cast *cast, struct knell_prng *random)
{
    knell_rank r = (knell_rank)knell_prng_below(random, RANKS), other = (knell_rank)knell_prng_below(random, RANKS);
    uint64_t what = knell_prng_below(random, 40), g = knell_prng_below(random, 4);
    uint64_t id = g < 3 ? cast->group[g].id : KNELL_WORLD;
    uint8_t value = (uint8_t)knell_prng_next(random);
    if (!world_alive(w, r))
        return;
    uint64_t seen = knell_node_failures(w->slot[r].node, id);
    if (what < 2 && w->slot[other].crashed)
        world_suspect(w, r, other, KNELL_WHY_HARDWARE);
    else if (what == 2 && r % 5 == 0)
        world_crash(w, r);
    else if (what == 3 && r % 5 == 1)
        world_leave(w, r);
    else if (what == 4)
        world_note(w, "revoke %u: %d", r, world_revoke(w, r, id));
    else if (what == 5)
        world_note(w, "resumed %u: %d", r, world_resumed(w, r, 3));
    else if (what < 16)
        world_note(w, "group %u: %d", r, g < 3 ? world_group(w, r, &cast->group[g]) : 0);
    else
        world_note(w, "propose %u: %d", r, world_propose(w, r, id, value % KNELL_KIND_END, value, seen));
}

static const struct knell_limits smallest = {.dead_ranges = 1};
static const struct knell_limits ample = {16, 32, 8, 16, 8, 1 << 14, 8};

/* The whole log of a world; the caller frees it. */
static char *play(uint64_t seed, const struct knell_limits *limits, bool moving, bool checking, uint64_t *refusals)
{
    struct world w;
    struct cast cast;
    struct knell_prng random;
    knell_prng_seed(&random, seed);
    make_groups(&cast, &random);
    world_open(&w, RANKS);
    w.config.overlay = seed & 1 ? KNELL_OVERLAY_HBA : KNELL_OVERLAY_CIRCULANT;
    w.config.latest_only = seed & 2;
    w.limits = *limits;
    w.move_each_step = moving;
    w.check_refusals = checking;
    w.random_delay = seed + 1;
    w.log_heartbeats = true;
    world_start(&w);
    for (unsigned step = 0; step < 150; step++) {
        do_something(&w, &cast, &random);
        world_run(&w, w.now + (knell_time)knell_prng_below(&random, 3));
    }
    world_run(&w, w.now + 300);
    *refusals = w.refusals;
    char *log = w.log;
    w.log = NULL;
    world_close(&w);
    return log;
}

TEST(memory_does_not_show)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint64_t refused[4];
        char *log[4] = {
            play(seed, &ample, false, false, &refused[0]),
            play(seed, &smallest, false, true, &refused[1]),
            play(seed, &ample, true, false, &refused[2]),
            play(seed, &smallest, true, false, &refused[3]),
        };
        test_context("seed %u", (unsigned)seed);
        CHECK_EQ_U64(refused[0], 0);
        CHECK(refused[1] > RANKS);
        CHECK_EQ_U64(refused[3], refused[1]);
        for (unsigned i = 1; i < 4; i++)
            CHECK(strcmp(log[0], log[i]) == 0);
        for (unsigned i = 0; i < 4; i++)
            free(log[i]);
    }
}

/* ---- one move is enough, however much is missing ----------------------------------------------------------------- */

static void fresh(struct world *w)
{
    world_open(w, 4000);
    w->limits = smallest;
    w->check_refusals = true; /* refused once, then taken: world_step checks */
    w->quiet = true;
    world_start(w);
}

TEST(one_move_for_a_long_list)
{
    static struct knell_range gone[1000], left[1000];
    struct world w;
    fresh(&w);
    for (uint32_t i = 0; i < 1000; i++)
        gone[i] = left[i] = (struct knell_range){4 * i + 1, 4 * i + 1, i};
    struct knell_body body = {.type = KNELL_MESSAGE_BROADCAST, .source = 2, .sequence = 1, .subject = 6};
    body.why = KNELL_WHY_LEFT;
    body.dead = (struct knell_dead){
        .gone = gone, .left = left, .gone_ranges = 1000, .left_ranges = 1000, .size = 1000, .digest = 99};
    CHECK_EQ_I64(world_inject(&w, 2, 0, body), 0);
    CHECK_EQ_U64(w.refusals, 1);
    CHECK_EQ_U64(knell_node_dead(w.slot[0].node).size, 1001);
    world_close(&w);
}

TEST(one_move_for_a_long_value)
{
    static const uint8_t value[KNELL_VALUE_MAX];
    static const knell_rank members[] = {0, 1, 2};
    static const struct knell_group group = {.id = 8, .size = 3, .member = members};
    struct world w;
    fresh(&w);
    struct knell_event event = {.type = KNELL_EVENT_PROPOSE};
    event.as.propose.size = KNELL_VALUE_MAX;
    event.as.propose.value = value;
    CHECK_EQ_I64(world_step(&w, 1, event), 0);
    CHECK_EQ_U64(w.refusals, 1);
    struct knell_body body = {.type = KNELL_MESSAGE_UP,
                              .subject = KNELL_NOBODY,
                              .group = 8,
                              .value = value,
                              .value_size = KNELL_VALUE_MAX,
                              .flags = KNELL_FLAG_VALUE};
    CHECK_EQ_I64(world_inject(&w, 1, 0, body), 0); /* early: waits */
    CHECK_EQ_U64(w.refusals, 2);
    CHECK_EQ_I64(world_group(&w, 0, &group), 0);
    CHECK_EQ_U64(w.refusals, 3);
    world_close(&w);
}

/* ---- the bounds of the interface --------------------------------------------------------------------------------- */

TEST(sizes_and_limits)
{
    struct knell_limits limits = knell_limits_default();
    size_t size = knell_node_size(&limits);
    CHECK(size > 0 && size % 8 == 0 && size < 1024); /* a million of them in a gigabyte */
    limits.dead_ranges = 0;
    CHECK_EQ_U64(knell_node_size(&limits), 0);
    limits = knell_limits_default();
    limits.value_bytes = KNELL_VALUE_MAX + 1;
    CHECK_EQ_U64(knell_node_size(&limits), 0);
    limits = (struct knell_limits){UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, UINT32_MAX, UINT32_MAX};
    CHECK_EQ_U64(knell_node_size(&limits), 0);
}

TEST(init_and_move_refuse)
{
    _Alignas(8) char block[2048], other[4096];
    struct knell_limits limits = knell_limits_default(), less = limits;
    struct knell_config config = {.ranks = 4, .eta = 10, .delta = 30, .tau = 1};
    struct knell_node *node = NULL, *moved = NULL;
    CHECK_EQ_I64(knell_node_init(block, &limits, &config, 4, NULL, &node), KNELL_EINVAL);
    config.delta = 10;
    CHECK_EQ_I64(knell_node_init(block, &limits, &config, 0, NULL, &node), KNELL_EINVAL);
    CHECK(!node); /* outputs are set only on success */
    config.delta = 30;
    REQUIRE(knell_node_init(block, &limits, &config, 0, NULL, &node) == 0);
    less.sources--;
    CHECK_EQ_I64(knell_node_move(node, other, &less, &moved), KNELL_EINVAL);
    CHECK(!moved);
    struct knell_limits wanted = knell_node_wanted(node); /* nothing was refused: as it is */
    CHECK(memcmp(&wanted, &limits, sizeof limits) == 0);
    CHECK_EQ_I64(knell_node_move(node, other, &limits, &moved), 0);
    CHECK(memcmp(block, other, knell_node_size(&limits)) == 0);
}

/* The questions do not change the node: two threads may ask one that rests. */
TEST(asking_changes_nothing)
{
    struct world w;
    struct knell_body body;
    world_open(&w, 4);
    world_start(&w);
    struct knell_node *node = w.slot[1].node;
    size_t size = knell_node_size(&node->limits);
    char *before = memcpy(malloc(size), node, size);
    knell_node_is_revoked(node, KNELL_WORLD);
    knell_node_failures(node, KNELL_WORLD);
    knell_node_heartbeat(node, 100, &body);
    knell_node_dead(node);
    knell_node_wanted(node);
    CHECK(memcmp(before, node, size) == 0);
    free(before);
    world_close(&w);
}
