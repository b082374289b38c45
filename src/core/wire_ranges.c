/* wire_ranges.c: see wire_ranges.h. */
#include "core/wire_ranges.h"
#include "util/rankset.h"

/* A stretch of a subset as places within gone; it lies in one stretch of gone, as those have gaps between them. */
static bool to_places(const struct knell_dead *dead, struct knell_range *range)
{
    uint32_t at = knell__ranges_find(dead->gone, dead->gone_ranges, range->first);
    if (at == dead->gone_ranges || range->first < dead->gone[at].first || range->last > dead->gone[at].last)
        return false;
    uint32_t shift = dead->gone[at].first - dead->gone[at].before;
    range->first -= shift;
    range->last -= shift;
    return true;
}

/* The range number `index` of the row, as it goes on the wire. */
static struct knell_range range_at(struct knell__coder *coder, const struct knell_body *body, uint32_t index)
{
    const struct knell_dead *dead = &body->dead;
    if (index < dead->gone_ranges)
        return dead->gone[index];
    index -= dead->gone_ranges;
    if (index >= dead->left_ranges + dead->settled_ranges)
        return body->agreed[index - dead->left_ranges - dead->settled_ranges];
    struct knell_range range = index < dead->left_ranges ? dead->left[index] : dead->settled[index - dead->left_ranges];
    if (!to_places(dead, &range))
        knell__coder_refuse(coder);
    return range;
}

uint32_t knell__code_row(struct knell__coder *coder, const struct knell_wire_part *part, const struct knell_body *body,
                         struct knell_range *row)
{
    knell_rank floor = 0; /* each part and each list in it begins anew: parts are read in any order */
    for (uint32_t i = 0; i < part->count; i++) {
        uint32_t index = part->offset + i;
        bool places = index >= part->gone && index - part->gone < part->left + part->settled;
        struct knell_range range = {0};
        if (index == part->gone || index == part->gone + part->left || index == part->gone + part->left + part->settled)
            floor = 0;
        if (!coder->in)
            range = range_at(coder, body, index);
        knell__code_range(coder, floor, &range);
        if (coder->error)
            return i;
        if (coder->in)
            row[i] = range;
        floor =
            range.last + (places ? 1 : 2); /* two stretches of a subset may be neighbours in places and not in ranks */
    }
    return part->count;
}

/* Sorted, disjoint and apart; sets `before`. Everyone gone is no set of dead: who would have said so? */
static bool settle_list(struct knell_range *range, uint32_t count, uint32_t ranks)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (range[i].last >= ranks || range[i].first > range[i].last)
            return false;
        if (i > 0 && (range[i].first <= range[i - 1].last || range[i].first - range[i - 1].last < 2))
            return false;
        range[i].before = size;
        size += range[i].last - range[i].first + 1;
    }
    return size < ranks;
}

/* Places into ranks, each stretch within one stretch of gone. Both lists ascend: one walk over the two. */
static bool settle_places(const struct knell_range *gone, uint32_t gone_ranges, struct knell_range *subset,
                          uint32_t ranges)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < ranges; i++) {
        while (at < gone_ranges && gone[at].before + (gone[at].last - gone[at].first) < subset[i].first)
            at++;
        if (at == gone_ranges || subset[i].first < gone[at].before)
            return false;
        uint32_t shift = gone[at].first - gone[at].before;
        subset[i].first += shift;
        subset[i].last += shift;
        if (subset[i].last > gone[at].last)
            return false;
    }
    return true;
}

bool knell__row_settle(const struct knell_wire_part *part, uint32_t ranks, struct knell_range *row,
                       struct knell_body *body)
{
    if (knell__part_total(part) == 0)
        return true;
    struct knell_range *left = row + part->gone, *settled = left + part->left, *agreed = settled + part->settled;
    if (!settle_list(row, part->gone, ranks) || !settle_places(row, part->gone, left, part->left) ||
        !settle_list(left, part->left, ranks) || !settle_places(row, part->gone, settled, part->settled) ||
        !settle_list(settled, part->settled, ranks) || !settle_list(agreed, part->agreed, ranks))
        return false;
    body->dead.gone = row;
    body->dead.left = left;
    body->dead.settled = settled;
    body->dead.gone_ranges = part->gone;
    body->dead.left_ranges = part->left;
    body->dead.settled_ranges = part->settled;
    body->dead.size = knell__ranges_size(row, part->gone);
    body->agreed = agreed;
    body->agreed_ranges = part->agreed;
    return true;
}
