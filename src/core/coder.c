/* coder.c: see coder.h. Knows bytes and numbers; what a message is made of is in wire.c. */
#include "core/coder.h"

#include <string.h>

void knell__coder_refuse(struct knell__coder *coder)
{
    if (!coder->error)
        coder->error = coder->in ? KNELL_EWIRE : KNELL_EINVAL;
}

/* Steps over `size` bytes; false when there are not that many. */
static bool take(struct knell__coder *coder, size_t size)
{
    if (coder->error)
        return false;
    if (size > coder->size - coder->used) {
        coder->error = coder->in ? KNELL_EWIRE : KNELL_ESPACE;
        return false;
    }
    coder->used += size;
    return true;
}

void knell__code_byte(struct knell__coder *coder, uint8_t *byte)
{
    if (coder->in)
        *byte = 0;
    if (!take(coder, 1))
        return;
    if (coder->in)
        *byte = coder->in[coder->used - 1];
    else if (coder->out)
        coder->out[coder->used - 1] = *byte;
}

static uint64_t read_number(struct knell__coder *coder)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte;
        knell__code_byte(coder, &byte);
        bool last = byte < 0x80;
        if ((shift == 63 && byte > 1) || (last && byte == 0 && shift > 0))
            knell__coder_refuse(coder); /* more than 64 bits, or longer than need be */
        if (coder->error)
            return 0;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (last)
            return number;
    }
}

static void write_number(struct knell__coder *coder, uint64_t number)
{
    for (; number >= 0x80; number >>= 7) {
        uint8_t byte = (uint8_t)(number | 0x80);
        knell__code_byte(coder, &byte);
    }
    uint8_t byte = (uint8_t)number;
    knell__code_byte(coder, &byte);
}

void knell__code_number(struct knell__coder *coder, uint64_t *number, uint64_t highest)
{
    if (coder->in)
        *number = read_number(coder);
    else
        write_number(coder, *number);
    if (*number <= highest)
        return;
    knell__coder_refuse(coder);
    if (coder->in)
        *number = 0;
}

void knell__code_u32(struct knell__coder *coder, uint32_t *number, uint32_t highest)
{
    uint64_t wide = *number;
    knell__code_number(coder, &wide, highest);
    *number = (uint32_t)wide;
}

void knell__code_time(struct knell__coder *coder, knell_time *time)
{
    uint64_t sign = *time < 0 ? UINT64_MAX : 0;
    uint64_t number = ((uint64_t)*time << 1) ^ sign;
    knell__code_number(coder, &number, UINT64_MAX);
    if (coder->in)
        *time = number & 1 ? -(knell_time)(number >> 1) - 1 : (knell_time)(number >> 1);
}

void knell__code_digest(struct knell__coder *coder, uint64_t *digest)
{
    uint64_t read = 0;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint8_t byte = (uint8_t)(*digest >> shift);
        knell__code_byte(coder, &byte);
        read |= (uint64_t)byte << shift;
    }
    *digest = read;
}

void knell__code_bytes(struct knell__coder *coder, const uint8_t **bytes, uint32_t size)
{
    if (coder->in)
        *bytes = NULL;
    if (size == 0 || !take(coder, size))
        return;
    if (coder->in)
        *bytes = coder->in + coder->used - size;
    else if (coder->out)
        memcpy(coder->out + coder->used - size, *bytes, size);
}

/* Most dead are alone: their length costs one bit, not a byte. */
void knell__code_range(struct knell__coder *coder, knell_rank floor, struct knell_range *range)
{
    if (!coder->in && (range->first < floor || range->last < range->first))
        knell__coder_refuse(coder);
    uint64_t highest = (uint64_t)coder->ranks - 1;
    uint64_t gap = ((uint64_t)range->first - floor) << 1 | (range->last > range->first);
    knell__code_number(coder, &gap, 2 * highest + 1);
    uint64_t first = floor + (gap >> 1), last = first;
    if (gap & 1) {
        uint64_t more = (uint64_t)range->last - range->first - 1;
        knell__code_number(coder, &more, highest);
        last = first + 1 + more;
    }
    if (last > highest)
        knell__coder_refuse(coder);
    if (coder->in)
        *range = (struct knell_range){.first = (knell_rank)first, .last = (knell_rank)last};
}
