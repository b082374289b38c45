/* coder.h: a place in a run of bytes that is read, written or only measured, field by field.
 *
 * One walk over a message's fields serves all three directions, so that reader and writer cannot drift apart: each
 * function takes the field by pointer and either sets it or puts it down. An error sticks and makes the rest of the
 * walk harmless; whoever loops looks at it. Numbers are varints of 7 bits a byte, low bits first, never longer than
 * need be. */
#ifndef KNELL_CORE_CODER_H
#define KNELL_CORE_CODER_H

#include <knell/types.h>
#include <stdbool.h>
#include <stddef.h>

struct knell__coder {
    const uint8_t *in; /* reading */
    uint8_t *out;      /* writing; neither: measuring */
    size_t size;       /* of in or out, or the most there may be */
    size_t used;
    uint32_t ranks; /* a rank is below this */
    int error;      /* KNELL_EWIRE reading; KNELL_EINVAL, KNELL_ESPACE writing */
};

/* The field cannot be what it is. */
void knell__coder_refuse(struct knell__coder *coder);

void knell__code_byte(struct knell__coder *coder, uint8_t *byte);
void knell__code_number(struct knell__coder *coder, uint64_t *number, uint64_t highest);
void knell__code_u32(struct knell__coder *coder, uint32_t *number, uint32_t highest);
void knell__code_time(struct knell__coder *coder, knell_time *time);   /* sign in the lowest bit */
void knell__code_digest(struct knell__coder *coder, uint64_t *digest); /* 8 bytes: a varint would take 10 */
void knell__code_bytes(struct knell__coder *coder, const uint8_t **bytes, uint32_t size);

/* first..last, both below coder->ranks and not below `floor`: the distance from there, then whether it is longer than
 * one. */
void knell__code_range(struct knell__coder *coder, knell_rank floor, struct knell_range *range);

#endif
