/* rankset: see rankset.h. */
#include "util/rankset.h"

#include <assert.h>
#include <string.h>

uint32_t knell__ranges_find(const struct knell_range *range, uint32_t count, knell_rank rank)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (range[middle].last < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool knell__ranges_contain(const struct knell_range *range, uint32_t count, knell_rank rank)
{
    uint32_t at = knell__ranges_find(range, count, rank);
    return at < count && range[at].first <= rank;
}

uint32_t knell__ranges_size(const struct knell_range *range, uint32_t count)
{
    if (count == 0)
        return 0;
    const struct knell_range *end = &range[count - 1];
    return end->before + (end->last - end->first) + 1;
}

uint32_t knell__ranges_below(const struct knell_range *range, uint32_t count, knell_rank rank)
{
    uint32_t at = knell__ranges_find(range, count, rank);
    if (at == count)
        return knell__ranges_size(range, count);
    return range[at].before + (rank > range[at].first ? rank - range[at].first : 0);
}

/* Before range r lie first - before non-members: ascending in r, so the k-th is found by bisection. */
knell_rank knell__ranges_absent(const struct knell_range *range, uint32_t count, uint32_t k)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (range[middle].first - range[middle].before <= k)
            low = middle + 1;
        else
            high = middle;
    }
    return k + knell__ranges_size(range, low);
}

uint32_t knell__ranges_insert(struct knell_range *range, uint32_t count, knell_rank first, knell_rank last)
{
    assert(first <= last);
    uint32_t at = knell__ranges_find(range, count, first);
    bool joins_left = at > 0 && range[at - 1].last + 1 == first;
    bool joins_right = at < count && last + 1 == range[at].first;
    assert(at == count || last < range[at].first);
    if (joins_left && joins_right) {
        range[at - 1].last = range[at].last;
        memmove(&range[at], &range[at + 1], (count - at - 1) * sizeof *range);
        count--;
    } else if (joins_left) {
        range[at - 1].last = last;
    } else if (joins_right) {
        range[at].first = first;
        at++;
    } else {
        memmove(&range[at + 1], &range[at], (count - at) * sizeof *range);
        range[at] = (struct knell_range){.first = first, .last = last, .before = knell__ranges_size(range, at)};
        at++;
        count++;
    }
    for (; at < count; at++)
        range[at].before = knell__ranges_size(range, at);
    return count;
}

bool knell__ranges_gap(const struct knell_range *range, uint32_t count, knell_rank *first, knell_rank *last)
{
    uint32_t at = knell__ranges_find(range, count, *first);
    if (at < count && range[at].first <= *first) {
        if (range[at].last >= *last)
            return false;
        *first = range[at++].last + 1;
    }
    if (at < count && range[at].first <= *last)
        *last = range[at].first - 1;
    return true;
}
