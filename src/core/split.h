/* split.h: which side of a network that split goes on. */
#ifndef KNELL_CORE_SPLIT_H
#define KNELL_CORE_SPLIT_H

#include "core/instance.h"

/* Judges the side this node is on, after D has grown. True: it must end, has stopped, and its driver was told. */
bool knell__split_ends(struct knell__step *step);

/* ---- for agree.c ---------------------------------------------------------------------------------------------------- */

/* Only those speak together in an agreement who hold the same for gone: the digest of that, or 0 where splits do not matter. */
uint64_t knell__split_known(const struct knell_node *node);

/* KNELL_FLAG_SETTLES when the root's decision settles the ends of its dead, or 0. */
uint8_t knell__split_settles(const struct knell__at *at);

/* The slot holds a decision: its dead are the other side no more. */
void knell__split_decided(const struct knell__at *at, const struct knell_range *dead, uint32_t ranges);

#endif
