/* Splits of 1,000 nodes, with the core as it is everywhere: the side of the rule goes on and returns from its agreements, the nodes of
 * the others end and return from none. `knell sim check --edge splits` has small worlds, and many. */
#include "sim/outage.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 1000, HOSTS = 40, EACH = NODES / HOSTS, TAU = 1000, ETA = 100 * TAU, DELTA = 5 * ETA };

static struct {
    struct knell_world *world;
    uint8_t side[NODES];
    uint8_t ended[NODES];    /* told that its side must end */
    uint8_t returned[NODES]; /* from how many agreements */
    knell_rank order[NODES];
    uint32_t position[NODES];
} stage;

static void on_fact(void *context, struct knell_world *world, knell_rank node, const struct knell_fact *fact)
{
    (void)context;
    stage.ended[node] |= fact->type == KNELL_FACT_SPLIT || fact->type == KNELL_FACT_FENCED;
    stage.returned[node] += fact->type == KNELL_FACT_DECIDED;
    if (stage.ended[node])
        knell_world_alarm(world, world->now + 1);
}

static void on_timer(void *context, struct knell_world *world)
{
    (void)context;
    for (knell_rank node = 0; node < NODES; node++)
        if (stage.ended[node])
            knell_world_crash(world, node);
}

/* The ring takes the first node of each host, then the second of each, as the runtime does. */
static void order_ring(void)
{
    for (uint32_t i = 0; i < NODES; i++) {
        stage.order[i] = i % HOSTS * EACH + i / HOSTS;
        stage.position[stage.order[i]] = i;
    }
}

static void begin(uint64_t key)
{
    const struct knell_config config = {.ranks = NODES,
                                        .eta = ETA,
                                        .delta = DELTA,
                                        .tau = TAU,
                                        .ring_order = stage.order,
                                        .ring_position = stage.position,
                                        .on_split = KNELL_SPLIT_END};
    const struct knell_limits limits = knell_limits_default();
    const struct knell_watch watch = {.fact = on_fact, .timer = on_timer};
    memset(&stage, 0, sizeof stage);
    order_ring();
    stage.world = knell_world_new(&config, KNELL_NETWORK_LATENCY, &limits);
    REQUIRE(stage.world);
    stage.world->outage = knell_outage_new(NODES);
    REQUIRE(stage.world->outage);
    stage.world->outage->repeats = true;
    knell_world_begin(stage.world, key, &watch);
}

static void finish(void)
{
    CHECK(!stage.world->broken);
    knell_outage_free(stage.world->outage);
    knell_world_free(stage.world);
}

static void run_for(knell_time time)
{
    knell_time until = stage.world->now + time;
    while (knell_world_next(stage.world) <= until && knell_world_run_one(stage.world))
        continue;
}

/* So many nodes of side `of`, on hosts at random, go to side `to`. The first host stays. */
static void separate(uint64_t seed, uint32_t size, uint8_t of, uint8_t to)
{
    struct knell_prng prng;
    knell_prng_seed(&prng, seed);
    for (; size > 0; size -= EACH) {
        knell_rank first;
        do
            first = (knell_rank)(EACH * (1 + knell_prng_below(&prng, HOSTS - 1)));
        while (stage.side[first] != of);
        memset(&stage.side[first], to, EACH);
    }
    knell_outage_split(stage.world, stage.side);
}

static void agree(void)
{
    struct knell_event propose = {.type = KNELL_EVENT_PROPOSE};
    propose.as.propose.kind = KNELL_KIND_SHRINK;
    for (knell_rank node = 0; node < NODES; node++)
        if (stage.world->alive[node])
            knell_world_step(stage.world, node, &propose);
    run_for(60 * DELTA);
}

static uint32_t living(uint8_t side)
{
    uint32_t count = 0;
    for (knell_rank node = 0; node < NODES; node++)
        count += stage.world->alive[node] && stage.side[node] == side;
    return count;
}

static void check_returned(uint8_t side, unsigned times)
{
    for (knell_rank node = 0; node < NODES; node++)
        if (stage.side[node] == side)
            CHECK_EQ_U64(stage.returned[node], times);
}

TEST(the_larger_side_of_1000_goes_on)
{
    begin(1);
    run_for(3 * ETA);
    separate(5, 400, 0, 1);
    agree();
    CHECK_EQ_U64(living(0), 600);
    CHECK_EQ_U64(living(1), 0);
    check_returned(0, 1);
    check_returned(1, 0);
    separate(6, 250, 0, 2); /* of the 600 of the last agreement 350 are the larger part */
    agree();
    CHECK_EQ_U64(living(0), 350);
    CHECK_EQ_U64(living(2), 0);
    check_returned(0, 2);
    check_returned(2, 1);
    finish();
}

TEST(of_two_halves_that_with_the_lowest_rank)
{
    begin(2);
    run_for(3 * ETA);
    separate(7, 500, 0, 1);
    agree();
    CHECK_EQ_U64(living(0), 500);
    CHECK_EQ_U64(living(1), 0);
    check_returned(0, 1);
    check_returned(1, 0);
    finish();
}

TEST(of_three_parts_without_a_majority_none)
{
    begin(3);
    run_for(3 * ETA);
    separate(8, 300, 0, 1);
    separate(9, 300, 0, 2);
    agree();
    for (uint8_t side = 0; side < 3; side++) {
        CHECK_EQ_U64(living(side), 0);
        check_returned(side, 0);
    }
    finish();
}

TEST(a_brief_cut_of_1000_ends_nobody)
{
    begin(4);
    run_for(3 * ETA);
    separate(10, 400, 0, 1);
    run_for(DELTA - 2 * ETA - 3 * TAU);
    knell_outage_split(stage.world, NULL);
    agree();
    CHECK_EQ_U64(stage.world->living, NODES);
    finish();
}
