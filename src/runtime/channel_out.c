/* channel_out: the sending side of channel.h: numbers, the window, repetition. Knows nothing of what it carries. */
#include "runtime/channel.h"
#include "os/pages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_FIRST = 64, PAYLOADS_FIRST = 16, BACKOFF_MOST = 5 };

int knell__channel_init(struct knell__channel *channel, const struct knell__key *key, knell_rank self, uint32_t ranks,
                        knell_time repeat_after)
{
    *channel = (struct knell__channel){
        .key = key,
        .self = self,
        .ranks = ranks,
        .entry_room = ENTRIES_FIRST,
        .payload_room = PAYLOADS_FIRST,
        .ack_at = KNELL_NEVER,
    };
    knell__channel_pace(channel, repeat_after);
    channel->peer = knell__pages_take(ranks * sizeof *channel->peer);
    channel->ack_list = calloc(ranks, sizeof *channel->ack_list);
    channel->entry = calloc(ENTRIES_FIRST, sizeof *channel->entry);
    channel->payload = calloc(PAYLOADS_FIRST, sizeof *channel->payload);
    if (!channel->peer || !channel->ack_list || !channel->entry || !channel->payload) {
        knell__channel_free(channel);
        return KNELL_ESYSTEM;
    }
    return 0;
}

void knell__channel_pace(struct knell__channel *channel, knell_time repeat_after)
{
    channel->repeat_after = repeat_after;
    channel->later = repeat_after / 4;
    channel->ack_after = repeat_after / 2;
}

void knell__channel_free(struct knell__channel *channel)
{
    knell__pages_give(channel->peer, channel->ranks * sizeof *channel->peer);
    free(channel->ack_list);
    free(channel->entry);
    free(channel->payload);
    *channel = (struct knell__channel){0};
}

/* ---- pools ----------------------------------------------------------------------------------------------------------- */

static bool grow(void **array, uint32_t *room, uint32_t most, size_t item)
{
    uint32_t wanted = *room * 2;
    assert(wanted > 0); /* there is room for some from the start */
    if (wanted > most)
        return false;
    void *grown = realloc(*array, wanted * item);
    if (!grown)
        return false;
    memset((char *)grown + *room * item, 0, (wanted - *room) * item);
    *array = grown;
    *room = wanted;
    return true;
}

/* A free payload, filled; UINT32_MAX when the limit is reached. */
static uint32_t add_payload(struct knell__channel *channel, const void *bytes, size_t size)
{
    uint32_t room = channel->payload_room, found = UINT32_MAX;
    for (uint32_t i = 0; i < room && found == UINT32_MAX; i++) {
        uint32_t at = (channel->payload_hint + i) % room;
        if (channel->payload[at].holders == 0)
            found = at;
    }
    if (found == UINT32_MAX) {
        if (!grow((void **)&channel->payload, &channel->payload_room, KNELL__PAYLOADS_MAX, sizeof *channel->payload))
            return UINT32_MAX;
        found = room;
    }
    channel->payload_hint = found + 1;
    channel->payload[found].size = (uint32_t)size;
    memcpy(channel->payload[found].bytes, bytes, size);
    return found;
}

static void remove_entry(struct knell__channel *channel, uint32_t at)
{
    struct knell__entry *entry = &channel->entry[at];
    channel->payload[entry->payload].holders--;
    channel->peer[entry->to].waiting--;
    *entry = channel->entry[--channel->entries];
}

/* ---- sending --------------------------------------------------------------------------------------------------------- */

static void put_out(struct knell__channel *channel, enum knell__frame_kind kind, knell_rank to, uint32_t number,
                    const void *payload, size_t size)
{
    const struct knell__peer *peer = &channel->peer[to];
    uint8_t bytes[KNELL__FRAME_MAX];
    struct knell__frame frame = {(uint8_t)kind, channel->self, to, number, peer->in_high, peer->in_bits};
    channel->emit(channel->driver, to, kind, bytes, knell__frame_seal(channel->key, &frame, payload, size, bytes));
}

static void send_entry(struct knell__channel *channel, knell_time now, struct knell__entry *entry)
{
    const struct knell__payload *payload = &channel->payload[entry->payload];
    uint32_t doublings = entry->tries < BACKOFF_MOST ? entry->tries : BACKOFF_MOST;
    if (entry->number == 0)
        entry->number = ++channel->peer[entry->to].out_last;
    put_out(channel, KNELL__FRAME_DATA, entry->to, entry->number, payload->bytes, payload->size);
    entry->due = now + channel->repeat_after * (1 << doublings);
    channel->counters.repeated += entry->tries > 0;
    entry->tries++;
    knell__channel_ack_done(channel, entry->to);
}

static bool is_within_window(const struct knell__channel *channel, const struct knell__entry *entry)
{
    const struct knell__peer *peer = &channel->peer[entry->to];
    return entry->number > 0 || peer->out_last - peer->out_done < KNELL__WINDOW;
}

/* What is to be sent now has KNELL_NEVER for its time: then only the window decides. */
static void add(struct knell__channel *channel, knell_time now, knell_time due, uint64_t label, const knell_rank *to,
                uint32_t count, const void *payload, size_t size)
{
    uint32_t held = size <= KNELL__FRAME_ROOM ? add_payload(channel, payload, size) : UINT32_MAX;
    if (held == UINT32_MAX) {
        channel->counters.lost_full += count;
        return;
    }
    channel->payload[held].holders++; /* ours, while entries come and go */
    for (uint32_t i = 0; i < count; i++) {
        struct knell__peer *peer = &channel->peer[to[i]];
        if (peer->closed)
            continue;
        if (channel->entries == channel->entry_room &&
            !grow((void **)&channel->entry, &channel->entry_room, KNELL__ENTRIES_MAX, sizeof *channel->entry)) {
            channel->counters.lost_full++;
            continue;
        }
        struct knell__entry *entry = &channel->entry[channel->entries++];
        *entry = (struct knell__entry){.due = due, .label = label, .to = to[i], .payload = held};
        channel->payload[held].holders++;
        peer->waiting++;
        if (due == KNELL_NEVER && is_within_window(channel, entry))
            send_entry(channel, now, entry);
    }
    channel->payload[held].holders--;
}

void knell__channel_send(struct knell__channel *channel, knell_time now, const knell_rank *to, uint32_t count,
                         const void *payload, size_t size)
{
    add(channel, now, KNELL_NEVER, 0, to, count, payload, size);
}

void knell__channel_send_later(struct knell__channel *channel, knell_time now, uint64_t label, const knell_rank *to,
                               uint32_t count, const void *payload, size_t size)
{
    add(channel, now, now + channel->later, label, to, count, payload, size);
}

void knell__channel_send_once(struct knell__channel *channel, enum knell__frame_kind kind, knell_rank to,
                              const void *payload, size_t size)
{
    put_out(channel, kind, to, 0, payload, size);
}

/* ---- what becomes of it ---------------------------------------------------------------------------------------------- */

/* Moves the window to the lowest number still waiting, and sends what comes into it. */
static void move_window(struct knell__channel *channel, knell_time now, knell_rank to)
{
    struct knell__peer *peer = &channel->peer[to];
    peer->out_done = peer->out_last;
    for (uint32_t i = 0; i < channel->entries; i++)
        if (channel->entry[i].to == to && channel->entry[i].number > 0 && channel->entry[i].number <= peer->out_done)
            peer->out_done = channel->entry[i].number - 1;
    for (uint32_t i = 0; i < channel->entries; i++)
        if (channel->entry[i].to == to && channel->entry[i].due == KNELL_NEVER &&
            is_within_window(channel, &channel->entry[i]))
            send_entry(channel, now, &channel->entry[i]);
}

static bool has_come(uint32_t number, uint32_t high, uint64_t bits)
{
    return number <= high && (high - number >= KNELL__WINDOW || (bits >> (high - number) & 1));
}

void knell__channel_acknowledged(struct knell__channel *channel, knell_time now, knell_rank from, uint32_t high,
                                 uint64_t bits)
{
    bool any = false;
    if (channel->peer[from].waiting == 0)
        return;
    for (uint32_t i = 0; i < channel->entries;) {
        if (channel->entry[i].to == from && channel->entry[i].tries > 0 &&
            has_come(channel->entry[i].number, high, bits)) {
            remove_entry(channel, i);
            any = true;
        } else {
            i++;
        }
    }
    if (any)
        move_window(channel, now, from);
}

void knell__channel_cancel(struct knell__channel *channel, knell_rank peer, uint64_t label)
{
    for (uint32_t i = 0; i < channel->entries && channel->peer[peer].waiting > 0;) {
        const struct knell__entry *entry = &channel->entry[i];
        if (entry->to == peer && entry->label == label && entry->tries == 0)
            remove_entry(channel, i);
        else
            i++;
    }
}

void knell__channel_close(struct knell__channel *channel, knell_rank peer)
{
    channel->peer[peer].closed = true;
    for (uint32_t i = 0; i < channel->entries && channel->peer[peer].waiting > 0;) {
        if (channel->entry[i].to == peer)
            remove_entry(channel, i);
        else
            i++;
    }
}

void knell__channel_tick(struct knell__channel *channel, knell_time now)
{
    for (uint32_t i = 0; i < channel->entries; i++)
        if (channel->entry[i].due <= now) {
            if (is_within_window(channel, &channel->entry[i]))
                send_entry(channel, now, &channel->entry[i]);
            else
                channel->entry[i].due = KNELL_NEVER;
        }
    if (channel->ack_at > now)
        return;
    while (channel->acks > 0) {
        knell_rank to = channel->ack_list[--channel->acks];
        if (!channel->peer[to].ack_due)
            continue;
        channel->peer[to].ack_due = false;
        put_out(channel, KNELL__FRAME_ACK, to, 0, NULL, 0);
    }
    channel->ack_at = KNELL_NEVER;
}

knell_time knell__channel_deadline(const struct knell__channel *channel)
{
    knell_time deadline = channel->ack_at;
    for (uint32_t i = 0; i < channel->entries; i++)
        if (channel->entry[i].due < deadline)
            deadline = channel->entry[i].due;
    return deadline;
}
