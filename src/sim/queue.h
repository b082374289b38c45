/* queue: messages on their way, in order of delivery; equal times in a fixed order, by and large that of sending.
 *
 * A calendar: buckets of a fixed width over a horizon that nearly all deliveries fall into, a heap for what lies beyond.
 * With at most a few thousand distinct delays the buckets are one instant wide and nothing is ever compared; otherwise a
 * bucket is sorted when its time comes. Cost per message does not grow with how many are on their way. */
#ifndef KNELL_SIM_QUEUE_H
#define KNELL_SIM_QUEUE_H

#include <knell/core.h>

struct knell_delivery {
    knell_time time;
    knell_rank to;
    uint32_t body; /* index into the bodies, see bodies.h */
    struct knell_route route;
};

struct knell_queue;

/* For deliveries up to `horizon` after now; farther ones are allowed but slower. NULL: no memory. */
struct knell_queue *knell_queue_new(knell_time horizon);
void knell_queue_free(struct knell_queue *queue);
void knell_queue_clear(struct knell_queue *queue);

/* False: no memory. Neither `now` nor the delivery is before the last one taken out. */
bool knell_queue_put(struct knell_queue *queue, knell_time now, const struct knell_delivery *delivery);

/* The time of the next one, KNELL_NEVER if none. */
knell_time knell_queue_next(struct knell_queue *queue);

/* Takes the next one out; there is one. */
struct knell_delivery knell_queue_take(struct knell_queue *queue);

/* Who will probably be delivered to `ahead` deliveries from now; KNELL_NOBODY if not known. For prefetching. */
knell_rank knell_queue_peek(const struct knell_queue *queue, unsigned ahead);

#endif
