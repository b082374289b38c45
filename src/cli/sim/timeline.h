/* A run of the detector as a picture for the terminal: a line per dead node over the time, then what happened when. */
#ifndef KNELL_CLI_SIM_TIMELINE_H
#define KNELL_CLI_SIM_TIMELINE_H

#include "sim/ring.h"

#include <stdio.h>

/* All zero is empty. */
struct knell_timeline {
    struct knell_ring_event *event;
    size_t count, room;
    bool no_memory;
};

/* For knell_ring_plan.log, with the timeline as its context. */
void knell__timeline_log(void *timeline, const struct knell_ring_event *event);

/* `color`: the terminal understands colours. */
void knell__timeline_draw(const struct knell_timeline *timeline, FILE *out, bool color);

void knell__timeline_free(struct knell_timeline *timeline);

#endif
