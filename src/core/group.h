/* group.h: the messages of groups, and revoke. */
#ifndef KNELL_CORE_GROUP_H
#define KNELL_CORE_GROUP_H

#include "core/step.h"

void knell__group_register(struct knell__step *step, const struct knell_group *group);
int knell__group_drop(struct knell__step *step, uint64_t id);
void knell__group_message(struct knell__step *step, const struct knell_route *route, const struct knell_body *body);
void knell__revoke(struct knell__step *step, struct knell__member *member);
void knell__revoke_dead_changed(struct knell__step *step);

/* What it takes in the pending area, should its group not be there yet. */
uint32_t knell__pending_size(const struct knell_body *body);

#endif
