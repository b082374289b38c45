#include "levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool scheme_make(struct scheme *s, int dim, const int *min, int tau)
{
    int box = dim == 2 ? (tau + 1) * (tau + 1) : (tau + 1) * (tau + 1) * (tau + 1);
    *s = (struct scheme){.dim = dim, .tau = tau};
    memcpy(s->min, min, (size_t)dim * sizeof *min);
    for (int n = 0; n < box; n++) { /* the digits of n, to the base tau + 1 */
        int level[DIM_MOST], layer = tau;
        for (int k = 0, rest = n; k < dim; k++, rest /= tau + 1)
            level[k] = min[k] + rest % (tau + 1), layer -= rest % (tau + 1);
        if (layer < 0)
            continue;
        if (s->count == GRIDS_MOST)
            return false;
        s->layer[s->count] = layer;
        memcpy(s->level[s->count++], level, (size_t)dim * sizeof *level);
    }
    return true;
}

int scheme_find(const struct scheme *s, const int *level)
{
    for (int grid = 0; grid < s->count; grid++)
        if (memcmp(s->level[grid], level, (size_t)s->dim * sizeof *level) == 0)
            return grid;
    return -1;
}

const char *level_text(const struct scheme *s, int grid)
{
    static char text[48];
    const int *l = s->level[grid];
    snprintf(text, sizeof text, s->dim == 2 ? "[%d,%d]" : "[%d,%d,%d]", l[0], l[1], l[2]);
    return text;
}

/* The grid at l + z, where the bits of z are 0 or 1 along each axis; -1: the downset has none. */
static int corner(const struct scheme *s, const bool *downset, int grid, int z)
{
    int level[DIM_MOST];
    for (int k = 0; k < s->dim; k++)
        level[k] = s->level[grid][k] + (z >> k & 1);
    int at = scheme_find(s, level);
    return at >= 0 && downset[at] ? at : -1;
}

void weights_of(const struct scheme *s, const bool *downset, int *weight)
{
    for (int grid = 0; grid < s->count; grid++) {
        weight[grid] = 0;
        for (int z = 0; z < 1 << s->dim && downset[grid]; z++)
            if (corner(s, downset, grid, z) >= 0)
                weight[grid] += __builtin_popcount((unsigned)z) % 2 ? -1 : 1;
    }
}

void downset_coarser(const struct scheme *s, const bool *downset, bool *coarser)
{
    for (int grid = 0; grid < s->count; grid++) {
        coarser[grid] = false;
        for (int k = 0; k < s->dim; k++)
            coarser[grid] |= corner(s, downset, grid, 1 << k) >= 0;
    }
}

/* A grid at level l improves the combination by about 4^-|l|: mesh width 2^-l, errors of second order. */
static double missing(const struct scheme *s, const bool *downset)
{
    double sum = 0;
    for (int grid = 0; grid < s->count; grid++)
        sum += downset[grid] ? 0 : pow(4, s->layer[grid] - s->tau);
    return sum;
}

double weights_error(const struct scheme *s, const bool *downset)
{
    int beyond =
        s->dim == 2 ? s->tau + 2 : (s->tau + 2) * (s->tau + 3) / 2; /* grids on the diagonal that no scheme has */
    return 1 + missing(s, downset) / (beyond * pow(4, -(s->tau + 1)));
}

/* What a downset costs: its error, and a little for each lost or small grid that has a weight. */
static double price(const struct scheme *s, const bool *lost, const bool *downset)
{
    int weight[GRIDS_MOST];
    double extra = 0;
    weights_of(s, downset, weight);
    for (int grid = 0; grid < s->count; grid++)
        if (weight[grid] != 0)
            extra += lost[grid] ? 0.1 : s->layer[grid] >= s->dim ? 0.001 : 0;
    return missing(s, downset) * (1 + extra);
}

/* A downset that loses a grid loses all that is above. */
static void cut(const struct scheme *s, const bool *downset, int from, bool *smaller)
{
    for (int grid = 0; grid < s->count; grid++) {
        bool above = true;
        for (int k = 0; k < s->dim; k++)
            above = above && s->level[grid][k] >= s->level[from][k];
        smaller[grid] = downset[grid] && !above;
    }
}

/* A weight is a sum over the corners of a cell: it changes when one of them goes. The cheapest of them does. */
static void cut_cheapest(const struct scheme *s, const bool *lost, bool *downset, int grid)
{
    bool best[GRIDS_MOST] = {false}, tried[GRIDS_MOST] = {false};
    double least = INFINITY, now;
    for (int z = 0; z < 1 << s->dim; z++) {
        int at = corner(s, downset, grid, z);
        if (at < 0)
            continue;
        cut(s, downset, at, tried);
        if ((now = price(s, lost, tried)) < least)
            least = now, memcpy(best, tried, sizeof best);
    }
    memcpy(downset, best, sizeof best);
}

bool weights_without(const struct scheme *s, const bool *lost, bool *downset, int *weight)
{
    for (int grid = 0; grid < s->count; grid++) {
        weights_of(s, downset, weight);
        if (lost[grid] && weight[grid] != 0) {
            cut_cheapest(s, lost, downset, grid);
            grid = -1; /* other weights have changed */
        }
    }
    return downset[0]; /* the smallest grid is in every downset but the empty one */
}
