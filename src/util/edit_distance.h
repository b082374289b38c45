/* How far two words are apart, for "did you mean ...?". Which words are near enough is the caller's business. */
#ifndef KNELL_UTIL_EDIT_DISTANCE_H
#define KNELL_UTIL_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KNELL_EDIT_LONGEST = 63 };

/* Letters to insert, delete, change or swap with the next to get from a (n letters) to b (m letters); with `any_case` a
 * capital letter is as good as a small one. A word of more than KNELL_EDIT_LONGEST letters is UINT32_MAX away from all. */
uint32_t knell_edit_distance(const char *a, size_t n, const char *b, size_t m, bool any_case);

#endif
