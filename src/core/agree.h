/* agree.h: agreement; below, what leave.c does with one instance of it. */
#ifndef KNELL_CORE_AGREE_H
#define KNELL_CORE_AGREE_H

#include "core/instance.h"

struct knell__agreement *knell__agreements(struct knell_node *node);
struct knell__agreement *knell__agreement_find(struct knell_node *node, uint64_t group, unsigned kind);
int knell__agree_propose(struct knell__step *step, const struct knell_event *event);
void knell__agree_up(struct knell__step *step, const struct knell_group *group, knell_rank from,
                     const struct knell_body *body);
void knell__agree_down(struct knell__step *step, const struct knell_group *group, knell_rank from,
                       const struct knell_body *body);
void knell__agree_dead_changed(struct knell__step *step);
void knell__agree_revoked(struct knell__step *step, const struct knell_group *group);
void knell__agree_drop(struct knell_node *node, uint64_t group);

struct knell__at knell__at_make(struct knell__step *step, const struct knell_group *group,
                                struct knell__agreement *agreement, struct knell__slot *slot);

/* UP: what has been folded so far; DOWN: the decision. */
void knell__agree_fill(struct knell__at *at, enum knell_message type, struct knell_body *body);

#endif
