/* dropped.h: the ids of groups that were dropped. */
#ifndef KNELL_CORE_DROPPED_H
#define KNELL_CORE_DROPPED_H

#include "core/state.h"

bool knell__is_dropped(struct knell_node *node, uint64_t id);
void knell__remember_dropped(struct knell_node *node, uint64_t id);

#endif
