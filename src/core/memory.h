/* memory.h: where the areas of a node's block lie. */
#ifndef KNELL_CORE_MEMORY_H
#define KNELL_CORE_MEMORY_H

#include "core/state.h"

/* Where they begin, in bytes. */
struct knell__areas {
    size_t sources, gone, left, settled, groups, dropped, agreements, stores, pending, end;
};
struct knell__areas knell__areas_of(const struct knell_limits *limits);

#endif
