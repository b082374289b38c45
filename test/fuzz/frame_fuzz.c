/* Fuzz target of the datagrams: a script for the channel of one process among eight (see play). Bytes as they are must change a
 * counter and nothing else; datagrams made with the key, whatever is in them, must keep the channel in order: each number is
 * delivered once, pools and lists agree, and what it sends can be opened by its receiver.
 *
 * Built with libFuzzer (KNELL_FUZZ) or with replay.c as a plain test. */
#include "runtime/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                             \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

enum { RANKS = 8, SELF = 3, NUMBERS = 1 << 16, STEPS = 400 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct knell__key key;
static uint8_t delivered[RANKS][NUMBERS / 8];

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

static void on_emit(void *driver, knell_rank to, enum knell__frame_kind kind, const uint8_t *bytes, size_t size)
{
    struct knell__frame frame;
    const uint8_t *payload;
    size_t payload_size;
    ++*(unsigned *)driver;
    MUST(to < RANKS && to != SELF);
    MUST(knell__frame_open(&key, to, RANKS, bytes, size, &frame, &payload, &payload_size) == 0);
    MUST(frame.kind == kind && frame.from == SELF);
}

static void check_order(const struct knell__channel *channel)
{
    uint32_t held = 0, waiting = 0, holders = 0;
    MUST(channel->entries <= channel->entry_room && channel->entry_room <= KNELL__ENTRIES_MAX);
    MUST(channel->acks <= RANKS && channel->payload_room <= KNELL__PAYLOADS_MAX);
    for (uint32_t i = 0; i < channel->entries; i++) {
        const struct knell__entry *entry = &channel->entry[i];
        MUST(entry->to < RANKS && entry->payload < channel->payload_room &&
             channel->payload[entry->payload].holders > 0);
        MUST(!channel->peer[entry->to].closed && entry->number <= channel->peer[entry->to].out_last);
        held++;
    }
    for (uint32_t i = 0; i < channel->payload_room; i++)
        holders += channel->payload[i].holders;
    for (knell_rank rank = 0; rank < RANKS; rank++) {
        const struct knell__peer *peer = &channel->peer[rank];
        waiting += peer->waiting;
        MUST(peer->out_last - peer->out_done <= KNELL__WINDOW);
        MUST(peer->in_high == 0 || (peer->in_bits & 1));
    }
    MUST(held == holders && held == waiting);
}

/* ---- the script -------------------------------------------------------------------------------------------------- */

struct script {
    const uint8_t *at, *end;
};

static uint8_t next(struct script *script)
{
    return script->at < script->end ? *script->at++ : 0;
}

/* The next `size` bytes, or as many as are left. */
static size_t take(struct script *script, size_t size, const uint8_t **bytes)
{
    size_t left = (size_t)(script->end - script->at);
    *bytes = script->at;
    size = size < left ? size : left;
    script->at += size;
    return size;
}

/* Nobody without the key changes anything but a counter. */
static void hear_stranger(struct knell__channel *channel, knell_time now, struct script *script)
{
    struct knell__peer before[RANKS];
    struct knell__received got;
    const uint8_t *bytes;
    size_t size = take(script, next(script) * 8u, &bytes);
    uint64_t refused = channel->counters.refused_format + channel->counters.refused_tag;
    uint32_t entries = channel->entries, acks = channel->acks;
    memcpy(before, channel->peer, sizeof before);
    MUST(!knell__channel_receive(channel, now, bytes, size, &got));
    MUST(channel->counters.refused_format + channel->counters.refused_tag == refused + 1);
    MUST(entries == channel->entries && acks == channel->acks && memcmp(before, channel->peer, sizeof before) == 0);
}

/* Who has the key may say anything. */
static void hear_peer(struct knell__channel *channel, knell_time now, struct script *script)
{
    uint8_t bytes[KNELL__FRAME_MAX];
    const uint8_t *payload;
    struct knell__received got;
    struct knell__frame frame = {.kind = (uint8_t)(1 + next(script) % (KNELL__FRAME_END - 1)), .to = SELF};
    frame.from = (SELF + 1 + next(script) % (RANKS - 1)) % RANKS;
    frame.number = next(script);
    frame.number |= (uint32_t)next(script) << 8;
    frame.ack = next(script);
    frame.ack |= (uint32_t)next(script) << (next(script) % 4 * 8);
    frame.ack_bits = UINT64_C(0x9e3779b97f4a7c15) * next(script);
    size_t size = take(script, next(script) * 4u, &payload);
    size = knell__frame_seal(&key, &frame, payload, size, bytes);
    uint64_t refused = channel->counters.refused_format + channel->counters.refused_tag;
    bool new = knell__channel_receive(channel, now, bytes, size, &got);
    MUST(channel->counters.refused_format + channel->counters.refused_tag == refused);
    if (!new || frame.kind != KNELL__FRAME_DATA)
        return;
    uint8_t *seen = &delivered[frame.from][frame.number / 8], bit = (uint8_t)(1u << frame.number % 8);
    MUST(got.frame.number == frame.number && !(*seen & bit));
    *seen |= bit;
}

static void say(struct knell__channel *channel, knell_time now, struct script *script)
{
    const uint8_t *payload;
    knell_rank to[RANKS];
    uint32_t count = 0;
    uint8_t whom = next(script), how = next(script);
    size_t size = take(script, next(script), &payload);
    for (knell_rank rank = 0; rank < RANKS; rank++)
        if (rank != SELF && (whom >> rank & 1))
            to[count++] = rank;
    if (how % 4 == 0)
        knell__channel_send_later(channel, now, how, to, count, payload, size);
    else if (how % 4 == 1 && count)
        knell__channel_cancel(channel, to[0], how / 4 * 4u);
    else if (how == 255 && count)
        knell__channel_close(channel, to[0]);
    else
        knell__channel_send(channel, now, to, count, payload, size);
}

static void play(struct knell__channel *channel, struct script script)
{
    knell_time now = 0;
    for (unsigned step = 0; step < STEPS && script.at < script.end; step++) {
        switch (next(&script) % 4) {
        case 0:
            hear_stranger(channel, now, &script);
            break;
        case 1:
            hear_peer(channel, now, &script);
            break;
        case 2:
            say(channel, now, &script);
            break;
        default:
            now += (knell_time)next(&script) * 1000000;
            knell__channel_tick(channel, now);
            MUST(knell__channel_deadline(channel) > now);
        }
        check_order(channel);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct knell__channel channel;
    unsigned emitted = 0;
    memset(delivered, 0, sizeof delivered);
    MUST(knell__key_set(&key, "a key of 16 byte", 16) == 0);
    MUST(knell__channel_init(&channel, &key, SELF, RANKS, 20000000) == 0);
    channel.driver = &emitted;
    channel.emit = on_emit;
    play(&channel, (struct script){data, data + size});
    knell__channel_free(&channel);
    return 0;
}
