/* overlay.h: who forwards a broadcast to whom. Pure functions of the message; the node's own knowledge plays no part, so
 * that all who forward one broadcast see the same graph (docs/design/protocol.md, "Broadcast"). */
#ifndef KNELL_CORE_OVERLAY_H
#define KNELL_CORE_OVERLAY_H

#include <knell/core.h>

/* The participants: a group (NULL: all ranks) less the dead of the message, numbered 0 .. alive - 1 in rank order. */
struct knell__roster {
    const struct knell_group *group;
    const struct knell_range *dead;
    uint32_t dead_ranges;
    uint32_t alive;
};

struct knell__roster knell__roster_make(uint32_t ranks, const struct knell_group *group, const struct knell_dead *dead);
bool knell__roster_has(const struct knell__roster *roster, knell_rank rank);
uint32_t knell__roster_index(const struct knell__roster *roster, knell_rank rank);
knell_rank knell__roster_rank(const struct knell__roster *roster, uint32_t index);

/* floor(log2 n), n >= 1. */
unsigned knell__log2(uint32_t n);

#define KNELL__TARGETS_MAX 64

/* Circulant: the receivers of `self` in a broadcast from `source`, the tree's children first. At most 2 floor(log n). */
uint32_t knell__circulant_targets(const struct knell__roster *roster, knell_rank source, knell_rank self,
                                  knell_rank to[KNELL__TARGETS_MAX]);

/* How many of them are the tree's children (or one more). */
uint32_t knell__circulant_children(const struct knell__roster *roster, knell_rank source, knell_rank self);

/* Hypercube broadcast, twice: what the source sends, and what a receiver of `came` passes on; routes are filled in but for
 * from and hops. At most 2 floor(log n). */
uint32_t knell__hba_first(const struct knell__roster *roster, knell_rank source, knell_rank to[KNELL__TARGETS_MAX],
                          struct knell_route route[KNELL__TARGETS_MAX]);
uint32_t knell__hba_next(const struct knell__roster *roster, knell_rank source, knell_rank self,
                         const struct knell_route *came, knell_rank to[KNELL__TARGETS_MAX],
                         struct knell_route route[KNELL__TARGETS_MAX]);

#endif
