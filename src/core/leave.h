/* leave.h: departure. */
#ifndef KNELL_CORE_LEAVE_H
#define KNELL_CORE_LEAVE_H

#include "core/step.h"

void knell__depart(struct knell__step *step);
void knell__depart_advance(struct knell__step *step); /* at the end of each step of a node that leaves */
void knell__depart_asked(struct knell__step *step, knell_rank from, const struct knell_body *body);
void knell__depart_answered(struct knell__step *step, const struct knell_group *group, knell_rank from,
                            const struct knell_body *body);

#endif
