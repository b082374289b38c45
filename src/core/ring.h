/* ring.h: the observation ring. */
#ifndef KNELL_CORE_RING_H
#define KNELL_CORE_RING_H

#include "core/step.h"

void knell__ring_start(struct knell__step *step, knell_time first_heartbeat, knell_time grace);
void knell__ring_resumed(struct knell__step *step, knell_time gap);

/* Returns whether the emitter has been silent for too long: it is to be suspected. */
bool knell__ring_tick(struct knell__step *step);

/* Returns whether the death was news. The ring is mended and the death broadcast then; groups have not heard of it. */
bool knell__ring_suspect(struct knell__step *step, knell_rank rank, enum knell_why why);

void knell__ring_trigger(struct knell__step *step);
void knell__ring_trigger_again(struct knell__step *step, const struct knell_route *route,
                               const struct knell_body *body);
void knell__ring_heartbeat(struct knell__step *step, knell_rank from, const struct knell_body *body);
void knell__ring_new_observer(struct knell__step *step, knell_rank from);
void knell__ring_mend(struct knell__step *step);

#endif
