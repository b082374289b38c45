/* step.h: the step under way, and the two ways in which it speaks to the driver. */
#ifndef KNELL_CORE_STEP_H
#define KNELL_CORE_STEP_H

#include "core/state.h"

struct knell__step {
    struct knell_node *node;
    knell_time now;
    const struct knell_sink *sink;
};

void knell__send(struct knell__step *step, const knell_rank *to, uint32_t count, const struct knell_route *route,
                 const struct knell_body *body);
void knell__send_one(struct knell__step *step, knell_rank to, const struct knell_body *body);
void knell__tell(struct knell__step *step, const struct knell_fact *fact);

#endif
