/* overlay.c: see overlay.h. */
#include "core/overlay.h"
#include "core/tree.h"
#include "util/rankset.h"

unsigned knell__log2(uint32_t n)
{
    unsigned log = 0;
    while (n >>= 1)
        log++;
    return log;
}

/* ---- rosters ------------------------------------------------------------------------------------------------------- */

static uint32_t dead_members_below(const struct knell__roster *roster, knell_rank rank)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < roster->dead_ranges && roster->dead[i].first < rank; i++) {
        knell_rank end = roster->dead[i].last < rank ? roster->dead[i].last + 1 : rank;
        sum += knell__members_below(roster->group, end) - knell__members_below(roster->group, roster->dead[i].first);
    }
    return sum;
}

struct knell__roster knell__roster_make(uint32_t ranks, const struct knell_group *group, const struct knell_dead *dead)
{
    struct knell__roster roster = {
        .group = group && group->member ? group : NULL,
        .dead = dead->gone,
        .dead_ranges = dead->gone_ranges,
    };
    if (roster.group)
        roster.alive = group->size - dead_members_below(&roster, ranks);
    else
        roster.alive = ranks - knell__ranges_size(dead->gone, dead->gone_ranges);
    return roster;
}

bool knell__roster_has(const struct knell__roster *roster, knell_rank rank)
{
    if (knell__ranges_contain(roster->dead, roster->dead_ranges, rank))
        return false;
    if (!roster->group)
        return true;
    uint32_t at = knell__members_below(roster->group, rank);
    return at < roster->group->size && roster->group->member[at] == rank;
}

uint32_t knell__roster_index(const struct knell__roster *roster, knell_rank rank)
{
    if (roster->group)
        return knell__members_below(roster->group, rank) - dead_members_below(roster, rank);
    return rank - knell__ranges_below(roster->dead, roster->dead_ranges, rank);
}

knell_rank knell__roster_rank(const struct knell__roster *roster, uint32_t index)
{
    if (!roster->group)
        return knell__ranges_absent(roster->dead, roster->dead_ranges, index);
    /* The last member with `index` living ones before it: it is the living one. */
    uint32_t low = index, high = roster->group->size - 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (middle - dead_members_below(roster, roster->group->member[middle]) <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return roster->group->member[low];
}

/* ---- circulant ----------------------------------------------------------------------------------------------------- */

struct circulant {
    const struct knell__roster *roster;
    uint32_t index; /* own */
    unsigned log;
    knell_rank *to;
    uint32_t count;
};

static void reach(struct circulant *c, unsigned bit, bool up)
{
    uint32_t n = c->roster->alive, step = UINT32_C(1) << bit;
    if (!up && 2 * step == n)
        return; /* the same node as upwards */
    uint32_t index = up ? c->index + step : c->index + n - step;
    c->to[c->count++] = knell__roster_rank(c->roster, index >= n ? index - n : index);
}

/* The signed binomial tree: a node at signed label l passes on away from the source over the bits above its highest one.
 * The lower the bit the larger the subtree behind it, so it goes first: with one port that is what makes the tree fast.
 * All other edges of the graph come after, as they only matter when someone on the tree is dead. */
uint32_t knell__circulant_targets(const struct knell__roster *roster, knell_rank source, knell_rank self,
                                  knell_rank to[KNELL__TARGETS_MAX])
{
    uint32_t n = roster->alive;
    if (n < 2)
        return 0;
    struct circulant c = {
        .roster = roster, .index = knell__roster_index(roster, self), .log = knell__log2(n), .to = to};
    uint32_t origin = knell__roster_index(roster, source);
    uint32_t label = c.index >= origin ? c.index - origin : c.index + n - origin;
    bool up = label <= n / 2;
    uint32_t size = up ? label : n - label;
    unsigned above = size ? knell__log2(size) + 1 : 0;

    for (unsigned bit = above; bit < c.log; bit++) {
        reach(&c, bit, up);
        if (size == 0)
            reach(&c, bit, !up);
    }
    if (size == 0)
        return c.count;
    for (unsigned bit = 0; bit < c.log; bit++) {
        if (bit < above)
            reach(&c, bit, up);
        reach(&c, bit, !up);
    }
    return c.count;
}

uint32_t knell__circulant_children(const struct knell__roster *roster, knell_rank source, knell_rank self)
{
    uint32_t n = roster->alive;
    uint32_t apart = (knell__roster_index(roster, self) + n - knell__roster_index(roster, source)) % n;
    uint32_t size = apart <= n / 2 ? apart : n - apart;
    unsigned log = knell__log2(n), above = size ? knell__log2(size) + 1 : 0;
    return size == 0 ? 2 * log : above < log ? log - above : 0;
}

/* ---- hypercube broadcast -------------------------------------------------------------------------------------------- */

struct hba {
    const struct knell__roster *roster;
    uint32_t origin; /* index of the source */
    unsigned log;
    knell_rank *to;
    struct knell_route *route;
    uint32_t count;
};

/* Cube 0 maps cube label j to label j, cube 1 to n - j; label 0 is the source. */
static void hba_reach(struct hba *h, uint8_t cube, uint8_t copy, unsigned dimension, uint32_t cube_label)
{
    uint32_t n = h->roster->alive;
    uint32_t label = cube == 0 ? cube_label : n - cube_label;
    uint32_t index = h->origin + label;
    h->to[h->count] = knell__roster_rank(h->roster, index >= n ? index - n : index);
    h->route[h->count++] = (struct knell_route){.cube = cube, .copy = copy, .dimension = (uint8_t)dimension};
}

uint32_t knell__hba_first(const struct knell__roster *roster, knell_rank source, knell_rank to[KNELL__TARGETS_MAX],
                          struct knell_route route[KNELL__TARGETS_MAX])
{
    if (roster->alive < 2)
        return 0;
    struct hba h = {.roster = roster, .origin = knell__roster_index(roster, source), .to = to, .route = route};
    h.log = knell__log2(roster->alive);
    for (uint8_t cube = 0; cube < 2; cube++)
        for (unsigned copy = 0; copy < h.log; copy++)
            hba_reach(&h, cube, (uint8_t)copy, copy, UINT32_C(1) << copy);
    return h.count;
}

uint32_t knell__hba_next(const struct knell__roster *roster, knell_rank source, knell_rank self,
                         const struct knell_route *came, knell_rank to[KNELL__TARGETS_MAX],
                         struct knell_route route[KNELL__TARGETS_MAX])
{
    uint32_t n = roster->alive;
    struct hba h = {.roster = roster, .origin = knell__roster_index(roster, source), .to = to, .route = route};
    h.log = knell__log2(n);
    uint32_t index = knell__roster_index(roster, self);
    uint32_t label = index >= h.origin ? index - h.origin : index + n - h.origin;
    uint32_t x = came->cube == 0 ? label : (n - label) % n;
    if (x == 0 || x >> h.log || came->copy >= h.log || came->dimension >= h.log)
        return 0; /* not a route of this broadcast */
    unsigned p = 0;
    if (x != UINT32_C(1) << came->copy)
        p = (came->dimension + h.log - came->copy + h.log - 1) % h.log + 1;
    for (unsigned q = p + 1; q <= h.log; q++) {
        unsigned dimension = (came->copy + q) % h.log;
        uint32_t next = x ^ (UINT32_C(1) << dimension);
        if (next != 0)
            hba_reach(&h, came->cube, came->copy, dimension, next);
    }
    return h.count;
}
