/* knell/wire.h: messages of the core as bytes, and back (docs/design/wire.md has the format).
 *
 * A message is a route and a body (knell/core.h). Its bytes go into one datagram when they fit; when the sets of dead
 * are too long for that, the message is split into parts, each a datagram that says where it belongs:
 *
 *      struct knell_wire_cursor cursor = {0};
 *      while (!cursor.done) {
 *          knell_wire_encode(&route, &body, number, &cursor, bytes, room, &used);      send `used` bytes
 *      }
 *      ...
 *      knell_wire_join_feed(join, bytes, used, &whole, &route, &body);                 step the node if `whole`
 *
 * Like the core this neither allocates nor calls anybody; the memory is the caller's. What it does not do:
 * authenticate, acknowledge, send again, keep replays out. These belong to the channel below it. It does hold that
 * whatever bytes come in, nothing is read or written out of bounds and what comes out is a message that a node of
 * `ranks` ranks can be fed: ranks in range, ranges sorted, disjoint and apart with `before` set, `left` and `settled` within `gone`,
 * never all ranks gone, values no longer than KNELL_VALUE_MAX, flags and words that exist. Each message has exactly
 * one encoding per split: anything longer than need be is refused.
 *
 * The digest of a set of dead is carried and not computed again: a range of 2^31 ranks takes a few bytes, and must not
 * take 2^31 steps. A sender that lies about it gains nothing it could not have by lying about the set: a node takes
 * the digest as a hint on whether to look at the ranges, and looks at the ranges themselves. */
#ifndef KNELL_WIRE_H
#define KNELL_WIRE_H

#include <knell/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever old and new cannot read each other. */
#define KNELL_WIRE_VERSION 1

/* The most bytes a message takes before its value and its second range. */
#define KNELL_WIRE_FIXED_MAX 96

/* With this much room every message can be sent. Less is allowed and does for what happens to fit. */
#define KNELL_WIRE_MTU_MIN (KNELL_VALUE_MAX + KNELL_WIRE_FIXED_MAX)

/* A heartbeat fits into this, whatever it says. */
#define KNELL_WIRE_HEARTBEAT_MAX 30

/* ---- out --------------------------------------------------------------------------------------------------------- */

/* How far a message has been encoded. All zero to begin with. */
struct knell_wire_cursor {
    uint32_t next; /* ranges written so far */
    bool done;
};

/* Writes the next part, at most `room` bytes. `number` tells the split messages of one sender apart: it is the same for
 * all parts of a message and another one for the next message (counting up will do); a message in one part does not
 * carry it. The body must not change between the parts.
 * KNELL_ESPACE: not even one range fits, `room` is below KNELL_WIRE_MTU_MIN. KNELL_EINVAL: not a message, or the cursor
 * is done. */
int knell_wire_encode(const struct knell_route *route, const struct knell_body *body, uint32_t number,
                      struct knell_wire_cursor *cursor, uint8_t *bytes, size_t room, size_t *used);

/* ---- in ---------------------------------------------------------------------------------------------------------- */

/* Where a datagram belongs. The ranges of a message are one row: gone, left, settled, agreed. */
struct knell_wire_part {
    uint32_t number; /* 0 when whole */
    uint32_t offset; /* ranges in the parts before */
    uint32_t count;  /* ranges in this one */
    uint32_t gone;   /* ranges in all parts, by list */
    uint32_t left;
    uint32_t settled;
    uint32_t agreed;
    bool whole; /* the message is in one part */
};

/* Reads one datagram. A whole message is ready for a node; its value points into `bytes`, its ranges into `storage`.
 * Of a split one only route->from and body->type are set, in the part with offset 0 also all else but the ranges;
 * these lie in `storage` as they were on the wire, for the joiner: their order against other parts is not checked yet,
 * `left` and `settled` count in places within `gone`.
 * KNELL_EWIRE: not a message of this version for `ranks` ranks. KNELL_ESPACE: more than `storage_ranges` ranges. */
int knell_wire_decode(const uint8_t *bytes, size_t size, uint32_t ranks, struct knell_range *storage,
                      size_t storage_ranges, struct knell_wire_part *part, struct knell_route *route,
                      struct knell_body *body);

/* ---- a joiner: decodes, and puts parts together in whatever order they come ------------------------------------ */

struct knell_wire_join;

/* Bytes for a joiner that holds `slots` split messages at a time, of up to `ranges` ranges each (ranks / 2 + 1 for each
 * of gone, left, settled and agreed always suffice); 0 if out of range. */
size_t knell_wire_join_size(uint32_t slots, uint32_t ranges);

/* Makes one out of that many bytes, aligned to 8. It holds no pointer into itself. */
int knell_wire_join_init(void *memory, uint32_t ranks, uint32_t slots, uint32_t ranges, struct knell_wire_join **join);

/* Takes one datagram. With *whole set, route and body are a message; it lives until the next feed, or until `bytes`
 * changes. Otherwise more parts are to come, or this one had come before.
 * A part for which there is no slot takes that of the message completed longest ago (slots keep those, to know late
 * copies), or else of the one begun longest ago, which is thereby given up: it will not be delivered.
 * KNELL_EWIRE and KNELL_ESPACE as for knell_wire_decode, also for parts that do not make a message together. */
int knell_wire_join_feed(struct knell_wire_join *join, const uint8_t *bytes, size_t size, bool *whole,
                         struct knell_route *route, struct knell_body *body);

/* Incomplete messages that were given up for want of slots. */
uint64_t knell_wire_join_given_up(const struct knell_wire_join *join);

#ifdef __cplusplus
}
#endif
#endif
