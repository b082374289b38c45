/* The ring, T1 to T4: real nodes and a driver that holds every message in its hand. eta 10, tau 1, delta 30. */
#include "test.h"
#include "world.h"

#include <string.h>

static struct knell_node *at(const struct world *w, knell_rank rank)
{
    return w->slot[rank].node;
}

static struct knell_body beat(knell_time emitted)
{
    return (struct knell_body){.type = KNELL_MESSAGE_HEARTBEAT, .subject = KNELL_NOBODY, .emitted = emitted};
}

static struct knell_body new_observer(void)
{
    return (struct knell_body){.type = KNELL_MESSAGE_NEW_OBSERVER, .subject = KNELL_NOBODY};
}

static void lose_all(struct world *w)
{
    while (w->wire_count)
        world_lose(w, 0);
}

/* ---- T1: emitting ------------------------------------------------------------------------------------------------ */

TEST(heartbeats_keep_to_their_grid)
{
    struct world w;
    world_open(&w, 4);
    world_start(&w);
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 10);
    w.now = 13; /* late, less than a period */
    world_tick(&w, 1);
    REQUIRE(w.wire_count == 1);
    CHECK(w.wire[0].to == 2 && w.wire[0].held->body.emitted == 13);
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 20);
    CHECK_EQ_U64(w.counters.heartbeats_missed, 0);
    world_inject(&w, 0, 1, beat(13));
    w.now = 42; /* two periods and more */
    world_tick(&w, 1);
    CHECK_EQ_U64(w.counters.heartbeats_missed, 2);
    CHECK_EQ_U64(w.counters.heartbeats_sent, 2);
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 43); /* 13 + delta; the next beat is at 52 */
    world_close(&w);
}

TEST(tick_before_the_deadline_does_nothing)
{
    struct world w;
    world_open(&w, 4);
    world_start(&w);
    w.now = 9;
    CHECK_EQ_I64(world_tick(&w, 1), 0);
    CHECK_EQ_U64(w.wire_count + w.fact_count, 0);
    world_close(&w);
}

TEST(start_once_and_first)
{
    struct world w;
    struct knell_event start = {.type = KNELL_EVENT_START};
    struct knell_node *node;
    struct knell_sink none = {0};
    world_open(&w, 4);
    world_start(&w);
    CHECK_EQ_I64(world_step(&w, 0, start), KNELL_EINVAL);
    _Alignas(8) char block[1024];
    REQUIRE(knell_node_size(&w.limits) <= sizeof block);
    REQUIRE(knell_node_init(block, &w.limits, &w.config, 3, NULL, &node) == 0);
    CHECK(knell_node_state(node) == KNELL_STATE_NEW && knell_node_deadline(node) == KNELL_NEVER);
    CHECK_EQ_I64(knell_node_step(node, &(struct knell_event){.type = KNELL_EVENT_TICK}, &none), KNELL_ESTOPPED);
    start.as.start.first_heartbeat = 11;
    CHECK_EQ_I64(knell_node_step(node, &start, &none), KNELL_EINVAL);
    start.as.start.first_heartbeat = -1;
    CHECK_EQ_I64(knell_node_step(node, &start, &none), KNELL_EINVAL);
    start.as.start.first_heartbeat = 0;
    CHECK_EQ_I64(knell_node_step(node, &start, &none), 0);
    CHECK_EQ_I64(knell_node_deadline(node), 0);
    world_close(&w);
}

/* ---- T2, T3: watching -------------------------------------------------------------------------------------------- */

TEST(deadline_is_emission_plus_delta)
{
    struct world w;
    world_open(&w, 4);
    w.config.beats = KNELL_BEATS_POSTED; /* the deadline is then the suspicion alone */
    world_start(&w);
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 30);
    w.now = 25;
    world_inject(&w, 0, 1, beat(20)); /* slow on the way */
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 50);
    world_inject(&w, 0, 1, beat(10)); /* older than the newest */
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 50);
    world_inject(&w, 3, 1, beat(24)); /* not from the emitter */
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 50);
    world_inject(&w, 0, 1, beat(1000)); /* a clock from the future is not believed */
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 55);
    CHECK_EQ_U64(w.counters.heartbeats_received, 4);
    w.now = 54;
    world_tick(&w, 1);
    CHECK_EQ_U64(w.fact_count, 0);
    w.now = 55;
    world_tick(&w, 1);
    CHECK_EQ_U64(world_facts(&w, 1, KNELL_FACT_FAILED, 0), 1);
    CHECK_EQ_U64(w.counters.suspicions, 1);
    world_close(&w);
}

/* The observer of the dead takes the one before, which is given 2 delta. The accused is told first, in case it
 * lives, and NewObserver goes before the broadcast. */
TEST(reconnection)
{
    struct world w;
    world_open(&w, 8);
    w.config.beats = KNELL_BEATS_POSTED;
    world_start(&w);
    w.now = 30;
    world_tick(&w, 4);
    REQUIRE(w.wire_count > 2);
    CHECK(w.wire[0].held->body.type == KNELL_MESSAGE_SYNC && w.wire[0].to == 3);
    CHECK(w.wire[1].held->body.type == KNELL_MESSAGE_NEW_OBSERVER && w.wire[1].to == 2);
    CHECK_EQ_U64(knell_node_emitter(at(&w, 4)), 2);
    CHECK_EQ_I64(knell_node_deadline(at(&w, 4)), 30 + 2 * 30);
    CHECK_EQ_U64(w.counters.reconnections, 1);
    const struct world_fact *fact = world_fact(&w, 4, KNELL_FACT_FAILED);
    REQUIRE(fact);
    CHECK(fact->fact.rank == 3 && fact->fact.by == 4 && fact->fact.why == KNELL_WHY_TIMEOUT && fact->fact.when == 30);
    w.now = 31;
    world_deliver(&w, 1);
    CHECK_EQ_U64(knell_node_observer(at(&w, 2)), 4);
    int reply = world_find(&w, KNELL_MESSAGE_HEARTBEAT, 4); /* at once, whatever the grid says */
    REQUIRE(reply >= 0);
    world_deliver(&w, (uint32_t)reply);
    CHECK_EQ_I64(knell_node_deadline(at(&w, 4)), 31 + 30);
    world_close(&w);
}

TEST(emitter_known_dead_by_broadcast_is_replaced_at_once)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    world_suspect(&w, 0, 5, KNELL_WHY_HARDWARE);
    CHECK_EQ_I64(world_find(&w, KNELL_MESSAGE_NEW_OBSERVER, KNELL_NOBODY), -1);
    world_deliver_all(&w);
    CHECK_EQ_U64(knell_node_emitter(at(&w, 6)), 4);
    CHECK_EQ_U64(knell_node_observer(at(&w, 4)), 6);
    CHECK_EQ_U64(w.counters.reconnections, 1);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_FAILED, 5), 7);
    const struct world_fact *fact = world_fact(&w, 6, KNELL_FACT_FAILED);
    CHECK(fact && fact->fact.by == 0 && fact->fact.why == KNELL_WHY_HARDWARE);
    CHECK_EQ_I64(world_suspect(&w, 0, 5, KNELL_WHY_KERNEL), 0); /* known: no second broadcast */
    CHECK_EQ_U64(w.wire_count, 0);
    CHECK_EQ_U64(w.counters.broadcasts_started, 1);
    world_close(&w);
}

/* ---- T4: who may observe ----------------------------------------------------------------------------------------- */

TEST(only_a_farther_living_observer_wins)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    world_inject(&w, 1, 6, new_observer()); /* 6 -> 7 -> 0 -> 1: three along the ring */
    CHECK_EQ_U64(knell_node_observer(at(&w, 6)), 1);
    CHECK_EQ_U64(w.sent[KNELL_MESSAGE_HEARTBEAT], 1);
    world_inject(&w, 7, 6, new_observer()); /* nearer: an old one on a slow channel */
    world_inject(&w, 0, 6, new_observer());
    CHECK_EQ_U64(knell_node_observer(at(&w, 6)), 1);
    CHECK_EQ_U64(w.sent[KNELL_MESSAGE_HEARTBEAT], 1);
    world_suspect(&w, 6, 3, KNELL_WHY_KERNEL);
    world_inject(&w, 3, 6, new_observer()); /* farther, but dead */
    CHECK_EQ_U64(knell_node_observer(at(&w, 6)), 1);
    CHECK(world_find(&w, KNELL_MESSAGE_SYNC, 3) >= 0); /* it is told */
    world_inject(&w, 5, 6, new_observer());
    CHECK_EQ_U64(knell_node_observer(at(&w, 6)), 5);
    world_close(&w);
}

/* ---- missing time, outside knowledge, trigger -------------------------------------------------------------------- */

TEST(no_suspicion_comes_from_a_gap)
{
    struct world w;
    world_open(&w, 4);
    w.config.beats = KNELL_BEATS_POSTED;
    world_start(&w);
    w.now = 10;
    world_inject(&w, 0, 1, beat(10)); /* until 40 */
    w.now = 115;
    CHECK_EQ_I64(world_resumed(&w, 1, 100), 0); /* asleep from 15 to 115: 25 are left */
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 140);
    world_tick(&w, 1);
    CHECK_EQ_U64(w.fact_count, 0);
    world_inject(&w, 0, 1, beat(20)); /* sent while it slept: may not shorten what it was given */
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 140);
    world_inject(&w, 0, 1, beat(114));
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 144);
    CHECK_EQ_I64(world_resumed(&w, 1, -1), KNELL_EINVAL);
    CHECK_EQ_I64(world_resumed(&w, 1, KNELL_NEVER), 0); /* endless: no overflow */
    CHECK(knell_node_deadline(at(&w, 1)) > 144);
    w.now = 200;
    world_tick(&w, 1);
    CHECK_EQ_U64(w.fact_count, 0);
    world_close(&w);
}

/* The time a node gives to an emitter it has not heard yet, at the start or after a death, is not kept once it has been heard. */
TEST(a_gap_before_the_first_heartbeat_delays_nothing_later)
{
    struct world w;
    world_open(&w, 4);
    w.config.beats = KNELL_BEATS_POSTED;
    world_start(&w);
    world_suspect(&w, 1, 0, KNELL_WHY_KERNEL); /* watches 3 from now on: until 60 */
    w.now = 5;
    CHECK_EQ_I64(world_resumed(&w, 1, 5), 0);
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 65);
    w.now = 10;
    world_inject(&w, 3, 1, beat(10));
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 40);
    world_close(&w);
}

TEST(trigger_is_known_at_once)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    world_run(&w, 5);
    CHECK_EQ_I64(world_trigger(&w, 2), 0);
    CHECK(knell_node_state(at(&w, 2)) == KNELL_STATE_FENCED);
    world_run(&w, 12);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_FAILED, 2), 7);
    const struct world_fact *fact = world_fact(&w, 3, KNELL_FACT_FAILED);
    CHECK(fact && fact->fact.why == KNELL_WHY_TRIGGER && fact->fact.when == 6);
    CHECK_EQ_U64(knell_node_emitter(at(&w, 3)), 1);
    CHECK_EQ_U64(w.counters.suspicions, 0);
    world_close(&w);
}

/* The observer dies with the trigger unheard; so does the next one, right after it has asked. */
TEST(trigger_is_known_at_once_though_observers_die)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    world_run(&w, 5);
    world_crash(&w, 3);
    CHECK_EQ_I64(world_trigger(&w, 2), 0);
    world_suspect(&w, 4, 3, KNELL_WHY_KERNEL);
    REQUIRE(world_find(&w, KNELL_MESSAGE_NEW_OBSERVER, 2) >= 0);
    world_deliver(&w, (uint32_t)world_find(&w, KNELL_MESSAGE_NEW_OBSERVER, 2));
    CHECK(world_find(&w, KNELL_MESSAGE_TRIGGER, 4) >= 0);
    world_crash(&w, 4);
    world_suspect(&w, 5, 4, KNELL_WHY_KERNEL);
    world_run(&w, 15);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_FAILED, 2), 5);
    CHECK_EQ_U64(knell_node_emitter(at(&w, 5)), 1);
    CHECK_EQ_U64(w.counters.suspicions, 0);
    world_close(&w);
}

/* ---- anti-entropy ------------------------------------------------------------------------------------------------ */

TEST(two_differing_heartbeats_exchange_the_lists)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    world_suspect(&w, 5, 1, KNELL_WHY_KERNEL);
    lose_all(&w); /* the broadcast is cut wholly: only 5 knows */
    world_crash(&w, 1);
    w.now = 10;
    world_tick(&w, 5);
    REQUIRE(world_find(&w, KNELL_MESSAGE_HEARTBEAT, 6) == 0);
    world_deliver(&w, 0);
    CHECK_EQ_U64(w.wire_count, 0); /* once may be chance: a broadcast may be on its way */
    w.now = 20;
    world_tick(&w, 5);
    world_deliver(&w, 0);
    REQUIRE(world_find(&w, KNELL_MESSAGE_SYNC, 5) == 0);
    CHECK_EQ_U64(w.wire[0].held->body.flags, KNELL_FLAG_ANSWER);
    world_deliver(&w, 0);
    REQUIRE(world_find(&w, KNELL_MESSAGE_SYNC, 6) == 0);
    CHECK_EQ_U64(w.wire[0].held->body.flags, 0);
    CHECK_EQ_U64(w.counters.syncs, 1 + 2); /* one to the accused */
    world_deliver(&w, 0);
    CHECK(knell_node_is_gone(at(&w, 6), 1));
    world_deliver_all(&w); /* who learned that way broadcasts it */
    for (knell_rank r = 0; r < 8; r++)
        CHECK(r == 1 || knell_node_is_gone(at(&w, r), 1));
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_FAILED, KNELL_NOBODY), 7);
    world_close(&w);
}

TEST(a_list_that_changed_between_two_heartbeats_waits)
{
    struct world w;
    world_open(&w, 8);
    world_start(&w);
    for (knell_rank dead = 1; dead < 4; dead++) {
        world_suspect(&w, 5, dead, KNELL_WHY_KERNEL);
        lose_all(&w);
        w.now += 10;
        world_inject(&w, 4, 5, beat(w.now));
        world_tick(&w, 5);
        REQUIRE(world_find(&w, KNELL_MESSAGE_HEARTBEAT, 6) == 0);
        world_deliver(&w, 0);
        CHECK_EQ_U64(w.wire_count, 0);
    }
    world_close(&w);
}

/* However many broadcasts are cut, everyone who lives knows every death in the end. */
TEST(every_death_becomes_known)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world w;
        world_open(&w, 16);
        w.config.latest_only = seed & 1;
        w.config.overlay = seed & 2 ? KNELL_OVERLAY_HBA : KNELL_OVERLAY_CIRCULANT;
        w.quiet = true;
        w.random_delay = seed;
        world_start(&w);
        test_context("seed %u", (unsigned)seed);
        for (knell_rank r = 0; r < 16; r++)
            if (r % 4 != seed % 4)
                world_crash(&w, r); /* twelve of sixteen at once */
        world_run(&w, 4000);
        for (knell_rank r = (knell_rank)(seed % 4); r < 16; r += 4)
            CHECK_EQ_U64(world_facts(&w, r, KNELL_FACT_FAILED, KNELL_NOBODY), 12);
        CHECK_EQ_U64(w.counters.fenced, 0);
        world_close(&w);
    }
}

/* ---- the paper's option: only the latest failure ----------------------------------------------------------------- */

TEST(latest_only_carries_one_and_spans_all)
{
    struct world w;
    world_open(&w, 16);
    w.config.latest_only = true;
    world_start(&w);
    world_suspect(&w, 0, 3, KNELL_WHY_KERNEL);
    world_crash(&w, 3);
    world_deliver_all(&w);
    world_suspect(&w, 0, 9, KNELL_WHY_KERNEL);
    world_crash(&w, 9);
    int first = world_find(&w, KNELL_MESSAGE_BROADCAST, KNELL_NOBODY);
    REQUIRE(first >= 0);
    CHECK_EQ_U64(w.wire[first].held->body.dead.gone_ranges, 0);
    CHECK_EQ_U64(w.wire_count, 1 + 7); /* the accused; 3 as well, as the graph is over all 16 */
    world_deliver_all(&w);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_FAILED, 9), 14);
    world_close(&w);
}

/* A second broadcast that overtakes the first everywhere does not carry what the first said: both must be forwarded. */
TEST(latest_only_survives_overtaking)
{
    struct world w;
    world_open(&w, 16);
    w.config.latest_only = true;
    world_start(&w);
    world_crash(&w, 3);
    world_crash(&w, 9);
    world_suspect(&w, 0, 3, KNELL_WHY_KERNEL);
    uint32_t early = w.wire_count;
    world_suspect(&w, 0, 9, KNELL_WHY_KERNEL);
    while (w.wire_count > early)
        world_deliver(&w, early);
    world_deliver_all(&w);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_FAILED, 3), 14);
    CHECK_EQ_U64(world_facts(&w, KNELL_NOBODY, KNELL_FACT_FAILED, 9), 14);
    world_close(&w);
}

/* ---- other rings ------------------------------------------------------------------------------------------------- */

TEST(permuted_ring)
{
    static const knell_rank order[6] = {0, 3, 1, 4, 2, 5}; /* two hosts of three, in turns */
    static const uint32_t position[6] = {0, 2, 4, 1, 3, 5};
    struct world w;
    world_open(&w, 6);
    w.config.ring_order = order;
    w.config.ring_position = position;
    world_start(&w);
    for (uint32_t p = 0; p < 6; p++) {
        CHECK_EQ_U64(knell_node_observer(at(&w, order[p])), order[(p + 1) % 6]);
        CHECK_EQ_U64(knell_node_emitter(at(&w, order[(p + 1) % 6])), order[p]);
    }
    for (knell_rank r = 3; r < 6; r++)
        world_crash(&w, r); /* the second host */
    world_run(&w, 300);
    for (knell_rank r = 0; r < 3; r++) {
        CHECK_EQ_U64(world_facts(&w, r, KNELL_FACT_FAILED, KNELL_NOBODY), 3);
        CHECK_EQ_U64(knell_node_observer(at(&w, r)), (r + 1) % 3);
        CHECK_EQ_U64(knell_node_emitter(at(&w, r)), (r + 2) % 3);
        /* isolated failures: each seen by its own observer within delta + tau, nobody waits for 2 delta */
    }
    for (uint32_t i = 0; i < w.fact_count; i++)
        CHECK(w.fact[i].fact.when <= 32);
    world_close(&w);
}

TEST(ring_order_and_position_come_together)
{
    static const knell_rank order[2] = {0, 1};
    struct knell_config config = {.ranks = 2, .eta = 10, .delta = 11, .tau = 1};
    const char *why = NULL;
    CHECK_EQ_I64(knell_config_check(&config, &why), 0);
    config.ring_order = order;
    CHECK_EQ_I64(knell_config_check(&config, &why), KNELL_EINVAL);
    CHECK(why && strstr(why, "ring_position"));
    config.ring_order = NULL;
    config.delta = 10;
    CHECK_EQ_I64(knell_config_check(&config, &why), KNELL_EINVAL);
    CHECK(why && strstr(why, "eta + tau"));
}

TEST(last_survivor_rests)
{
    for (uint32_t n = 2; n <= 5; n++) {
        struct world w;
        world_open(&w, n);
        world_start(&w);
        test_context("n %u", (unsigned)n);
        world_run(&w, 12);
        for (knell_rank r = 1; r < n; r++)
            world_crash(&w, r);
        world_run(&w, 1000);
        CHECK_EQ_U64(world_facts(&w, 0, KNELL_FACT_FAILED, KNELL_NOBODY), n - 1);
        CHECK_EQ_U64(knell_node_emitter(at(&w, 0)), KNELL_NOBODY);
        CHECK_EQ_U64(knell_node_observer(at(&w, 0)), KNELL_NOBODY);
        CHECK_EQ_I64(knell_node_deadline(at(&w, 0)), KNELL_NEVER);
        CHECK(knell_node_state(at(&w, 0)) == KNELL_STATE_RUNNING);
        world_close(&w);
    }
}

TEST(quiet_when_all_is_well)
{
    struct world w;
    world_open(&w, 7);
    w.config.delta = 11; /* the tightest allowed: eta + tau */
    world_start(&w);
    world_run(&w, 1000);
    CHECK_EQ_U64(w.fact_count, 0);
    CHECK_EQ_U64(w.counters.suspicions + w.counters.syncs + w.counters.broadcasts_started, 0);
    CHECK_EQ_U64(w.counters.messages_sent, 7 * 100);
    CHECK_EQ_U64(w.counters.heartbeats_sent, 7 * 100);
    world_close(&w);
}

/* ---- heartbeats that the driver posts ---------------------------------------------------------------------------- */

TEST(posted_heartbeats)
{
    struct world w;
    struct knell_body body;
    world_open(&w, 4);
    w.config.beats = KNELL_BEATS_POSTED;
    world_start(&w);
    CHECK(!knell_node_heartbeat(at(&w, 0), 9, &body)); /* none before the first */
    REQUIRE(knell_node_heartbeat(at(&w, 0), 10, &body));
    CHECK(body.type == KNELL_MESSAGE_HEARTBEAT && body.emitted == 10);
    CHECK(knell_node_heartbeat(at(&w, 0), 57, &body) && body.emitted == 50);
    w.now = 25;
    CHECK(knell_node_heartbeat(at(&w, 0), 25, &body));
    world_inject(&w, 0, 1, body);
    CHECK_EQ_I64(knell_node_deadline(at(&w, 1)), 20 + 30);
    CHECK_EQ_U64(w.sent[KNELL_MESSAGE_HEARTBEAT], 0);
    world_inject(&w, 2, 0, new_observer()); /* still answered at once, as a message */
    CHECK_EQ_U64(w.sent[KNELL_MESSAGE_HEARTBEAT], 1);
    CHECK(knell_node_heartbeat(at(&w, 0), 30, &body) && body.emitted == 25);
    CHECK(knell_node_heartbeat(at(&w, 0), 36, &body) && body.emitted == 35);
    world_suspect(&w, 0, 3, KNELL_WHY_KERNEL);
    CHECK(knell_node_heartbeat(at(&w, 0), 36, &body) && body.dead.size == 1 &&
          body.dead.digest == knell_node_dead(at(&w, 0)).digest);
    world_leave(&w, 0);
    CHECK(!knell_node_heartbeat(at(&w, 0), 100, &body));
    world_close(&w);
}
