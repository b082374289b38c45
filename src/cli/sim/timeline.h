/* timeline.h: a run of the detector as a picture for the terminal: one line per dead node over the time, then the
 * events with their times. */
#ifndef KNELL_CLI_SIM_TIMELINE_H
#define KNELL_CLI_SIM_TIMELINE_H

#include "sim/ring.h"

#include <stdio.h>

/* All zero is empty. */
struct timeline {
    struct knell_ring_event *event;
    size_t count, room;
    bool no_memory;
};

/* For knell_ring_plan.log, with the timeline as its context. */
void timeline_log(void *timeline, const struct knell_ring_event *event);

/* `color`: the terminal understands colours. */
void timeline_draw(const struct timeline *timeline, FILE *out, bool color);

void timeline_free(struct timeline *timeline);

#endif
