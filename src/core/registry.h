/* registry.h: the groups a node belongs to. */
#ifndef KNELL_CORE_REGISTRY_H
#define KNELL_CORE_REGISTRY_H

#include "core/state.h"

/* All of them, node->groups; the first is the world. */
struct knell__member *knell__members(struct knell_node *node);

/* NULL: none of that id. */
struct knell__member *knell__group_find(struct knell_node *node, uint64_t id);
const struct knell_group *knell__group_of(struct knell_node *node, uint64_t id);

/* The world lies in the block, which may move: it is pointed to only while a step runs. */
const struct knell_group *knell__group_at(const struct knell_node *node, const struct knell__member *member);

#endif
