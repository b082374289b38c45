/* frame.h: a datagram between two detectors: a head, a payload, and a tag over both made with the job's key.
 *
 * The tag is a keyed BLAKE2b of 16 bytes (libsodium). The head names sender and receiver, so that a datagram is good for
 * one receiver only. What it does not do: keep replays out (channel.h numbers what must come once, heartbeats carry their
 * time, and each job derives a key of its own), or hide what is said. */
#ifndef KNELL_RUNTIME_FRAME_H
#define KNELL_RUNTIME_FRAME_H

#include <knell/types.h>
#include <sodium.h>
#include <stddef.h>

#define KNELL__FRAME_VERSION 1

enum {
    KNELL__FRAME_HEAD = 28,
    KNELL__FRAME_TAG = 16,
    KNELL__FRAME_MAX = 1400, /* below what Ethernet and its tunnels carry unsplit */
    KNELL__FRAME_ROOM = KNELL__FRAME_MAX - KNELL__FRAME_HEAD - KNELL__FRAME_TAG,
};

enum knell__frame_kind {
    KNELL__FRAME_BEAT = 1, /* a heartbeat: may be lost */
    KNELL__FRAME_DATA,     /* a control message: numbered, acknowledged, repeated */
    KNELL__FRAME_ACK,      /* an acknowledgement alone */
    KNELL__FRAME_BYE,      /* the sender closes its socket now: nothing more need be sent to it */
    KNELL__FRAME_ONCE,     /* a control message to one held for dead: neither numbered nor repeated */
    KNELL__FRAME_END,
};

/* Data and ack carry what has come the other way: the highest number, and bit i for the number i below it. */
struct knell__frame {
    uint8_t kind;
    knell_rank from;
    knell_rank to;
    uint32_t number;
    uint32_t ack;
    uint64_t ack_bits;
};

/* A key ready for use: the hash's state after the key block, so that each tag costs one block less. */
struct knell__key {
    crypto_generichash_state state;
};

/* KNELL_ESYSTEM when the library cannot be used. */
int knell__key_set(struct knell__key *key, const void *secret, size_t size);
void knell__key_tag(const struct knell__key *key, const void *bytes, size_t size, uint8_t tag[KNELL__FRAME_TAG]);
/* The key becomes one of its own for these bytes. */
int knell__key_derive(struct knell__key *key, const void *bytes, size_t size);

/* Writes a datagram of KNELL__FRAME_HEAD + size + KNELL__FRAME_TAG bytes; returns its size. */
size_t knell__frame_seal(const struct knell__key *key, const struct knell__frame *frame, const void *payload,
                         size_t size, uint8_t *bytes);

/* Reads one for `self`. KNELL_EWIRE: not of this form, version or for somebody else. KNELL_EAUTH: a wrong tag. */
int knell__frame_open(const struct knell__key *key, knell_rank self, uint32_t ranks, const uint8_t *bytes, size_t size,
                      struct knell__frame *frame, const uint8_t **payload, size_t *payload_size);

#endif
