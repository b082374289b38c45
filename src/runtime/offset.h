/* offset.h: what another host's clock says, on this host's clock.
 *
 * A heartbeat carries its emission time by the sender's clock. The smallest difference between arrival and emission seen of
 * late is the clocks' offset plus the fastest journey; emission plus that is never earlier than the truth, and later by
 * that journey only. The minimum is forgotten after two spans, since clocks drift. */
#ifndef KNELL_RUNTIME_OFFSET_H
#define KNELL_RUNTIME_OFFSET_H

#include <knell/types.h>

#define KNELL__OFFSET_SPAN INT64_C(10000000000)

/* All zero: nothing seen. */
struct knell__offset {
    knell_time least;      /* in the span that began at `since` */
    knell_time least_last; /* in the one before */
    knell_time since;
    uint8_t spans; /* how many of the two count */
};

/* A heartbeat emitted at `emitted` by the sender's clock came at `now`: returns when it was emitted by ours. */
knell_time knell__offset_translate(struct knell__offset *offset, knell_time emitted, knell_time now);

#endif
