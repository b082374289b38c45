/* rankset: sets of ranks as sorted, disjoint, non-adjacent ranges in the caller's array (see knell/types.h).
 *
 * A dead set has few stretches even on the largest platforms, where a bitmap per node would not fit. Nothing here
 * allocates: whoever inserts makes sure beforehand that one more range fits. */
#ifndef KNELL_UTIL_RANKSET_H
#define KNELL_UTIL_RANKSET_H

#include <knell/types.h>
#include <stdbool.h>

/* Index of the first range whose last is >= rank; `count` if there is none. */
uint32_t knell__ranges_find(const struct knell_range *range, uint32_t count, knell_rank rank);

bool knell__ranges_contain(const struct knell_range *range, uint32_t count, knell_rank rank);

/* How many members are smaller than `rank`. */
uint32_t knell__ranges_below(const struct knell_range *range, uint32_t count, knell_rank rank);

/* How many members there are in all. */
uint32_t knell__ranges_size(const struct knell_range *range, uint32_t count);

/* The k-th rank (from 0) that is not a member. */
knell_rank knell__ranges_absent(const struct knell_range *range, uint32_t count, uint32_t k);

/* Adds first..last, none of which is a member yet; returns the new number of ranges (at most count + 1). */
uint32_t knell__ranges_insert(struct knell_range *range, uint32_t count, knell_rank first, knell_rank last);

/* The first stretch of non-members within *first..last: sets both ends and returns true; false if all are members. */
bool knell__ranges_gap(const struct knell_range *range, uint32_t count, knell_rank *first, knell_rank *last);

#endif
