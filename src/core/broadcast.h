/* broadcast.h: spreading deaths and departures. */
#ifndef KNELL_CORE_BROADCAST_H
#define KNELL_CORE_BROADCAST_H

#include "core/step.h"

void knell__broadcast(struct knell__step *step, knell_rank subject, enum knell_why why);

/* Returns whether a death was news. */
bool knell__broadcast_received(struct knell__step *step, const struct knell_route *route,
                               const struct knell_body *body);
void knell__sync_send(struct knell__step *step, knell_rank to, uint8_t flags);
void knell__sync_received(struct knell__step *step, knell_rank from, const struct knell_body *body, bool news);
struct knell__source *knell__source_find(struct knell_node *node, knell_rank rank);

#endif
