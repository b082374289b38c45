/* channel.h: control messages over datagrams: delivered reliably and at most once, in bounded memory.
 *
 * One object holds the conversations of one process with all others. Like the core it does no I/O and reads no clock:
 *
 *      knell__channel_send(channel, now, to, count, payload, size)   -> emit(...) datagrams to put on their way
 *      knell__channel_receive(channel, now, bytes, size, &got)       -> a payload to deliver, or none
 *      knell__channel_tick(channel, now), knell__channel_deadline(channel)
 *
 * Each message to a peer has a number, counting from 1. At most KNELL__WINDOW numbers are under way to one peer, the rest
 * wait; so the receiver knows every duplicate and every replay by its highest number and one bit for each number in the
 * window below it. What is not acknowledged is sent again, after a time that doubles; acknowledgements ride on messages
 * the other way, or go alone after a short while. A payload to many peers is held once.
 *
 * Memory: some 40 bytes per rank, and pools of messages that grow on demand up to a limit. A message beyond the limit is
 * lost and counted: deaths are learned again from heartbeats (docs/design/protocol.md, "Anti-entropy"), a revoke or an agreement
 * would have to wait for one.
 *
 * Heartbeats are not sent through here but are framed here, so that there is one place that opens datagrams. */
#ifndef KNELL_RUNTIME_CHANNEL_H
#define KNELL_RUNTIME_CHANNEL_H

#include "runtime/frame.h"

#include <stdbool.h>

enum {
    KNELL__WINDOW = 64,
    KNELL__ENTRIES_MAX = 1 << 16,
    KNELL__PAYLOADS_MAX = 1 << 12,
};

/* All zero: nothing said yet, and no memory that is really there. */
struct knell__peer {
    uint64_t in_bits;  /* bit i: in_high - i has come */
    uint32_t in_high;  /* highest number that has come; 0: none */
    uint32_t out_last; /* number of the newest message sent; 0: none */
    uint32_t out_done; /* all up to this one are acknowledged */
    uint32_t waiting;  /* entries */
    bool ack_due;
    bool closed; /* it will not be there any more: nothing is kept for it */
};

/* One message to one peer. */
struct knell__entry {
    knell_time due; /* when to send it, again or for the first time; KNELL_NEVER: when the window has room */
    uint64_t label; /* by which it can be cancelled */
    knell_rank to;
    uint32_t number; /* 0: not sent yet */
    uint32_t payload;
    uint32_t tries;
};

struct knell__payload {
    uint32_t holders; /* entries; 0: free */
    uint32_t size;
    uint8_t bytes[KNELL__FRAME_ROOM];
};

struct knell__channel_counters {
    uint64_t repeated, duplicates, refused_format, refused_tag, lost_full;
};

struct knell__channel {
    const struct knell__key *key;
    knell_rank self;
    uint32_t ranks;
    knell_time repeat_after; /* the first time; then twice as long, up to 32 times */
    knell_time later;        /* how long is "later" */
    knell_time ack_after;    /* an acknowledgement waits so long for a message to ride on */
    void *driver;
    void (*emit)(void *driver, knell_rank to, enum knell__frame_kind kind, const uint8_t *bytes, size_t size);
    struct knell__channel_counters counters;
    struct knell__peer *peer;
    struct knell__entry *entry;
    struct knell__payload *payload;
    uint32_t entries, entry_room, payload_room, payload_hint;
    knell_rank *ack_list; /* peers with ack_due */
    uint32_t acks;
    knell_time ack_at;
};

/* KNELL_ESYSTEM when there is no memory. `key` outlives it. */
int knell__channel_init(struct knell__channel *channel, const struct knell__key *key, knell_rank self, uint32_t ranks,
                        knell_time repeat_after);
/* Another time to the first repetition; what waits already keeps its own. */
void knell__channel_pace(struct knell__channel *channel, knell_time repeat_after);
void knell__channel_free(struct knell__channel *channel);

/* ---- out ------------------------------------------------------------------------------------------------------------- */

void knell__channel_send(struct knell__channel *channel, knell_time now, const knell_rank *to, uint32_t count,
                         const void *payload, size_t size);

/* The same after a while, unless it is cancelled by then: for a message that the peer will most likely have from others. */
void knell__channel_send_later(struct knell__channel *channel, knell_time now, uint64_t label, const knell_rank *to,
                               uint32_t count, const void *payload, size_t size);
/* The peer has what this label stands for: what was not sent yet need not be. */
void knell__channel_cancel(struct knell__channel *channel, knell_rank peer, uint64_t label);

/* Without number and repetition: KNELL__FRAME_BEAT, KNELL__FRAME_ONCE, KNELL__FRAME_BYE. */
void knell__channel_send_once(struct knell__channel *channel, enum knell__frame_kind kind, knell_rank to,
                              const void *payload, size_t size);

/* The peer is gone: nothing is sent to it again. */
void knell__channel_close(struct knell__channel *channel, knell_rank peer);

/* Sends again what is due, and the acknowledgements that found nothing to ride on. */
void knell__channel_tick(struct knell__channel *channel, knell_time now);
knell_time knell__channel_deadline(const struct knell__channel *channel);

/* ---- in -------------------------------------------------------------------------------------------------------------- */

struct knell__received {
    struct knell__frame frame;
    const uint8_t *payload; /* into the datagram */
    size_t size;
};

/* Takes a datagram. True: *got is a heartbeat, a farewell or a new message, authentic; a numbered one comes here once.
 * False: nothing to deliver. */
bool knell__channel_receive(struct knell__channel *channel, knell_time now, const uint8_t *bytes, size_t size,
                            struct knell__received *got);

/* channel_in.c to channel_out.c: the peer says what it has. */
void knell__channel_acknowledged(struct knell__channel *channel, knell_time now, knell_rank from, uint32_t high,
                                 uint64_t bits);
/* channel_out.c to channel_in.c: what went out has acknowledged all. */
void knell__channel_ack_done(struct knell__channel *channel, knell_rank to);

#endif
