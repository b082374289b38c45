/* room.h: the check before each step. */
#ifndef KNELL_CORE_ROOM_H
#define KNELL_CORE_ROOM_H

#include "core/state.h"

/* 0, or KNELL_EFULL with node->needed saying what would do; nothing else is touched. */
int knell__room_for(struct knell_node *node, const struct knell_event *event);

#endif
