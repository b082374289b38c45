/* wire_ranges.h: the row of ranges of a message: gone, left, settled, agreed. On the wire `left` and `settled` are sets of places within
 * gone, which is shorter than ranks and cannot name anyone who is not gone. */
#ifndef KNELL_CORE_WIRE_RANGES_H
#define KNELL_CORE_WIRE_RANGES_H

#include "core/coder.h"

#include <knell/wire.h>

/* All ranges of the message that a part belongs to. */
static inline uint32_t knell__part_total(const struct knell_wire_part *part)
{
    return part->gone + part->left + part->settled + part->agreed;
}

/* Codes the ranges part->offset .. + part->count - 1, out of the body or into `row` (one place per range of the part).
 * Returns how many went well before an error. */
uint32_t knell__code_row(struct knell__coder *coder, const struct knell_wire_part *part, const struct knell_body *body,
                         struct knell_range *row);

/* Turns a complete row as read into the lists of the body: checks what single parts cannot show, sets `before`, turns
 * places into ranks. False when they are no valid lists. */
bool knell__row_settle(const struct knell_wire_part *part, uint32_t ranks, struct knell_range *row,
                       struct knell_body *body);

#endif
