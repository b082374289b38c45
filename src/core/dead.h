/* dead.h: D, the set of processes a node holds for gone. */
#ifndef KNELL_CORE_DEAD_H
#define KNELL_CORE_DEAD_H

#include "core/step.h"

struct knell_dead knell__dead(const struct knell_node *node);
bool knell__is_gone(const struct knell_node *node, knell_rank rank);
bool knell__is_left(const struct knell_node *node, knell_rank rank);
void knell__stop(struct knell_node *node, enum knell_state state);
bool knell__fence_if_named(struct knell__step *step, knell_rank from, const struct knell_body *body);

/* Both return whether anything was new: then the caller sees to it that node.c hears of it. */
bool knell__learn(struct knell__step *step, knell_rank rank, knell_rank by, enum knell_why why);
bool knell__merge(struct knell__step *step, const struct knell_dead *dead, knell_rank by);

/* The ends of these, who are gone, are certain. Returns whether that was new. */
bool knell__settle(struct knell_node *node, knell_rank first, knell_rank last);

/* Of the members of the group that are gone. */
uint64_t knell__digest_in(const struct knell_node *node, const struct knell_group *group);

#endif
