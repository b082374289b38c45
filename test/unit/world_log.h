/* What happens in a world, as prose: one line per body sent, to however many, and per fact told. */
#ifndef KNELL_TEST_WORLD_LOG_H
#define KNELL_TEST_WORLD_LOG_H

#include "world.h"

void world_log_message(struct world *w, const knell_rank *to, uint32_t count, const struct knell_route *route,
                       const struct knell_body *body);
void world_log_fact(struct world *w, const struct world_fact *fact);

#endif
