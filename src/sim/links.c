/* links: see links.h. Open addressing with linear probing; what is taken out is closed up, so there are no graves. */
#include "sim/links.h"

#include "util/prng.h"

#include <stdlib.h>
#include <string.h>

/* Never 0: the larger rank of two is at least 1. */
static uint64_t pair_of(knell_rank a, knell_rank b)
{
    return a < b ? (uint64_t)b << 32 | a : (uint64_t)a << 32 | b;
}

static uint32_t home_of(const struct knell_links *links, uint64_t pair)
{
    return (uint32_t)knell_prng_at(0, pair) & (links->room - 1);
}

/* Where the pair is, or the empty slot where it would go. */
static uint32_t find(const struct knell_links *links, uint64_t pair)
{
    uint32_t at = home_of(links, pair);
    while (links->slot[at] && links->slot[at] != pair)
        at = (at + 1) & (links->room - 1);
    return at;
}

static bool grow(struct knell_links *links)
{
    struct knell_links larger = {.room = links->room ? 2 * links->room : 64, .count = links->count};
    if (larger.room == 0 || !(larger.slot = calloc(larger.room, sizeof *larger.slot)))
        return false;
    for (uint32_t i = 0; i < links->room; i++)
        if (links->slot[i])
            larger.slot[find(&larger, links->slot[i])] = links->slot[i];
    free(links->slot);
    *links = larger;
    return true;
}

bool knell_links_cut(struct knell_links *links, knell_rank a, knell_rank b, bool *no_memory)
{
    if (a == b)
        return false;
    if (links->count >= links->room / 2 && !grow(links)) {
        *no_memory = true;
        return false;
    }
    uint64_t pair = pair_of(a, b);
    uint32_t at = find(links, pair);
    if (links->slot[at])
        return false;
    links->slot[at] = pair;
    links->count++;
    return true;
}

/* Moves up whoever was pushed past the hole by its neighbours. */
static void close_up(struct knell_links *links, uint32_t hole)
{
    uint32_t mask = links->room - 1;
    links->slot[hole] = 0;
    for (uint32_t at = (hole + 1) & mask; links->slot[at]; at = (at + 1) & mask) {
        uint32_t home = home_of(links, links->slot[at]);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* it lives between the hole and here */
        links->slot[hole] = links->slot[at];
        links->slot[at] = 0;
        hole = at;
    }
}

bool knell_links_heal(struct knell_links *links, knell_rank a, knell_rank b)
{
    if (!knell_links_is_cut(links, a, b))
        return false;
    close_up(links, find(links, pair_of(a, b)));
    links->count--;
    return true;
}

bool knell_links_is_cut(const struct knell_links *links, knell_rank a, knell_rank b)
{
    return links->count > 0 && a != b && links->slot[find(links, pair_of(a, b))] != 0;
}

void knell_links_clear(struct knell_links *links)
{
    if (links->count > 0)
        memset(links->slot, 0, links->room * sizeof *links->slot);
    links->count = 0;
}

void knell_links_free(struct knell_links *links)
{
    free(links->slot);
    *links = (struct knell_links){0};
}
