/* The channel over a network that loses, doubles and delays: everything arrives, once, in bounded memory. */
#include "runtime/channel.h"
#include "test.h"
#include "util/prng.h"

#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
enum { FLIGHT = 4096, MESSAGES = 3000 };

struct datagram {
    knell_time at; /* arrives; 0: free */
    knell_rank to;
    size_t size;
    uint8_t bytes[KNELL__FRAME_MAX];
};

struct net {
    struct knell__key key;
    struct knell__channel channel[2];
    struct datagram *flight;
    struct knell_prng prng;
    knell_time now;
    unsigned loss, doubled; /* of 100 */
    uint32_t got[2][MESSAGES];
    uint64_t sent;
};

static void fly(struct net *net, knell_rank to, const uint8_t *bytes, size_t size)
{
    for (unsigned i = 0; i < FLIGHT; i++)
        if (net->flight[i].at == 0) {
            net->flight[i].at = net->now + 1 + (knell_time)knell_prng_below(&net->prng, 30 * MS);
            net->flight[i].to = to;
            net->flight[i].size = size;
            memcpy(net->flight[i].bytes, bytes, size);
            return;
        }
}

static void emit(void *driver, knell_rank to, enum knell__frame_kind kind, const uint8_t *bytes, size_t size)
{
    (void)kind;
    struct net *net = driver;
    net->sent++;
    if (knell_prng_below(&net->prng, 100) >= net->loss)
        fly(net, to, bytes, size);
    if (knell_prng_below(&net->prng, 100) < net->doubled)
        fly(net, to, bytes, size);
}

static struct net *make(unsigned loss, unsigned doubled, uint64_t seed)
{
    struct net *net = aligned_alloc(64, (sizeof *net + 63) & ~(size_t)63);
    memset(net, 0, sizeof *net);
    net->flight = calloc(FLIGHT, sizeof *net->flight);
    knell_prng_seed(&net->prng, seed);
    net->loss = loss;
    net->doubled = doubled;
    knell__key_set(&net->key, "0123456789abcdef", 16);
    for (knell_rank i = 0; i < 2; i++) {
        CHECK(knell__channel_init(&net->channel[i], &net->key, i, 2, 20 * MS) == 0);
        net->channel[i].driver = net;
        net->channel[i].emit = emit;
    }
    return net;
}

static void drop(struct net *net)
{
    for (knell_rank i = 0; i < 2; i++)
        knell__channel_free(&net->channel[i]);
    free(net->flight);
    free(net);
}

/* One millisecond: what has come, then timers. */
static void run(struct net *net)
{
    net->now += MS;
    for (unsigned i = 0; i < FLIGHT; i++) {
        struct datagram *datagram = &net->flight[i];
        struct knell__received got;
        uint32_t number;
        if (datagram->at == 0 || datagram->at > net->now)
            continue;
        if (knell__channel_receive(&net->channel[datagram->to], net->now, datagram->bytes, datagram->size, &got)) {
            CHECK_EQ_U64(got.size, sizeof number);
            memcpy(&number, got.payload, sizeof number);
            if (CHECK(number < MESSAGES))
                net->got[datagram->to][number]++;
        }
        datagram->at = 0;
    }
    for (knell_rank i = 0; i < 2; i++)
        if (knell__channel_deadline(&net->channel[i]) <= net->now)
            knell__channel_tick(&net->channel[i], net->now);
}

static void exchange(unsigned loss, unsigned doubled, uint64_t seed)
{
    struct net *net = make(loss, doubled, seed);
    unsigned waited = 0;
    test_context("loss %u %%, doubled %u %%, seed %u", loss, doubled, (unsigned)seed);
    for (uint32_t number = 0; number < MESSAGES; number++) {
        for (knell_rank from = 0; from < 2; from++)
            knell__channel_send(&net->channel[from], net->now, &(knell_rank){1 - from}, 1, &number, sizeof number);
        if (number % 3 == 0)
            run(net);
    }
    while ((net->channel[0].entries || net->channel[1].entries) && waited++ < 200000)
        run(net);
    for (knell_rank i = 0; i < 2; i++) {
        CHECK_EQ_U64(net->channel[i].entries, 0);
        CHECK_EQ_U64(net->channel[i].counters.lost_full, 0);
        for (uint32_t number = 0; number < MESSAGES; number++)
            if (net->got[i][number] != 1) {
                CHECK_EQ_U64(net->got[i][number], 1);
                break;
            }
    }
    drop(net);
}

TEST(all_arrive_once)
{
    exchange(0, 0, 1);
    exchange(30, 0, 2);
    exchange(0, 40, 3);
    exchange(30, 30, 4);
    exchange(60, 20, 5);
}

TEST(quiet_when_all_is_said)
{
    struct net *net = make(0, 0, 6);
    uint32_t number = 7;
    knell__channel_send(&net->channel[0], net->now, &(knell_rank){1}, 1, &number, sizeof number);
    for (unsigned i = 0; i < 200; i++)
        run(net);
    CHECK_EQ_U64(net->channel[0].entries, 0);
    CHECK_EQ_I64(knell__channel_deadline(&net->channel[0]), KNELL_NEVER);
    CHECK_EQ_I64(knell__channel_deadline(&net->channel[1]), KNELL_NEVER);
    CHECK(net->sent <= 6); /* the message, repeated while it was under way, and an acknowledgement or two */
    drop(net);
}

/* A peer that never answers: memory is bounded, what is beyond is counted, and closing it frees all. */
TEST(silent_peer_is_bounded)
{
    struct net *net = make(100, 0, 7);
    uint32_t number = 0, sends = KNELL__PAYLOADS_MAX + 100;
    for (uint32_t i = 0; i < sends; i++)
        knell__channel_send(&net->channel[0], net->now, &(knell_rank){1}, 1, &number, sizeof number);
    CHECK_EQ_U64(net->sent, KNELL__WINDOW);
    CHECK_EQ_U64(net->channel[0].entries, KNELL__PAYLOADS_MAX);
    CHECK_EQ_U64(net->channel[0].counters.lost_full, 100);
    knell__channel_close(&net->channel[0], 1);
    CHECK_EQ_U64(net->channel[0].entries, 0);
    CHECK_EQ_I64(knell__channel_deadline(&net->channel[0]), KNELL_NEVER);
    drop(net);
}

/* Every datagram of a conversation played again, many times and in any order, delivers nothing. */
TEST(replay_delivers_nothing)
{
    struct net *net = make(0, 0, 8);
    static uint8_t kept[300][KNELL__FRAME_MAX];
    static size_t size[300];
    struct knell__received got;
    unsigned delivered = 0;
    for (uint32_t number = 0; number < 300; number++) {
        knell__channel_send(&net->channel[0], net->now, &(knell_rank){1}, 1, &number, sizeof number);
        for (unsigned i = 0; i < FLIGHT; i++)
            if (net->flight[i].at && net->flight[i].to == 1) {
                memcpy(kept[number], net->flight[i].bytes, net->flight[i].size);
                size[number] = net->flight[i].size;
            }
        for (unsigned i = 0; i < 40; i++)
            run(net);
    }
    for (unsigned i = 0; i < 100000; i++) {
        unsigned number = (unsigned)knell_prng_below(&net->prng, 300);
        delivered += knell__channel_receive(&net->channel[1], net->now, kept[number], size[number], &got);
    }
    CHECK_EQ_U64(delivered, 0);
    for (uint32_t number = 0; number < 300; number++)
        CHECK_EQ_U64(net->got[1][number], 1);
    drop(net);
}

/* What is sent later is sent once it is time, unless cancelled; numbers have no holes from it. */
TEST(later_and_cancelled)
{
    struct net *net = make(0, 0, 9);
    for (uint32_t number = 0; number < 500; number++)
        knell__channel_send_later(&net->channel[0], net->now, 1000 + number, &(knell_rank){1}, 1, &number,
                                  sizeof number);
    CHECK_EQ_U64(net->sent, 0);
    for (uint32_t number = 0; number < 500; number += 2)
        knell__channel_cancel(&net->channel[0], 1, 1000 + number);
    CHECK_EQ_U64(net->channel[0].entries, 250);
    for (unsigned i = 0; i < 20000 && net->channel[0].entries; i++)
        run(net);
    CHECK_EQ_U64(net->channel[0].entries, 0);
    CHECK_EQ_U64(net->channel[0].peer[1].out_last, 250);
    for (uint32_t number = 0; number < 500; number++)
        CHECK_EQ_U64(net->got[1][number], number % 2);
    drop(net);
}
