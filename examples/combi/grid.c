#include "grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void grid_make(struct grid *g, int dim, const int *level)
{
    *g = (struct grid){.dim = dim, .points = 1};
    memcpy(g->level, level, (size_t)dim * sizeof *level);
    for (int k = 1; k < dim; k++)
        if (level[k] < level[g->slab])
            g->slab = k;
    for (int k = dim - 1; k >= 0; k--)
        if (k != g->slab)
            g->stride[k] = g->points, g->n[k] = 1L << level[k], g->points *= g->n[k];
    g->n[g->slab] = 1L << level[g->slab];
    g->stride[g->slab] = g->points;
    g->points *= g->n[g->slab];
}

long grid_along(const struct grid *g, long point, int axis)
{
    return point / g->stride[axis] % g->n[axis];
}

int grid_level(const struct grid *g, long point, int axis)
{
    long i = grid_along(g, point, axis);
    return i == 0 ? 0 : g->level[axis] - __builtin_ctzl((unsigned long)i);
}

void grid_point(const struct grid *g, long point, double *x)
{
    for (int k = 0; k < g->dim; k++)
        x[k] = (double)grid_along(g, point, k) / (double)g->n[k];
}

/* ---- surpluses --------------------------------------------------------------------------------------------------- */

/* One line: adds `sign` times the mean of both neighbours to the points of one level after the other. Level j is at the odd
 * multiples of n / 2^j; its neighbours are of lower levels. */
static void line_level(double *v, long n, long stride, long gap, double sign)
{
    for (long i = gap; i < n; i += 2 * gap)
        v[i * stride] += sign * 0.5 * (v[(i - gap) * stride] + v[(i + gap) % n * stride]);
}

void grid_to_surplus(const struct grid *g, double *value)
{
    for (int k = 0; k < g->dim; k++)
        for (long p = 0; p < g->points; p++)
            for (long gap = 1; gap < g->n[k] && grid_along(g, p, k) == 0; gap *= 2)
                line_level(value + p, g->n[k], g->stride[k], gap, -1);
}

void grid_from_surplus(const struct grid *g, double *value)
{
    for (int k = 0; k < g->dim; k++)
        for (long p = 0; p < g->points; p++)
            for (long gap = g->n[k] / 2; gap > 0 && grid_along(g, p, k) == 0; gap /= 2)
                line_level(value + p, g->n[k], g->stride[k], gap, 1);
}

/* ---- the sparse grid --------------------------------------------------------------------------------------------- */

static long points_of_level(int level)
{
    return level == 0 ? 1 : 1L << (level - 1);
}

/* The level vector of a cell of the table of offsets. */
static void levels_of(const struct sparse *p, long cell, int *level)
{
    for (int k = p->dim - 1; k >= 0; cell /= p->width[k--])
        level[k] = (int)(cell % p->width[k]);
}

void sparse_make(struct sparse *p, const struct scheme *s)
{
    p->dim = s->dim, p->length = 0, p->cells = 1;
    for (int k = 0; k < s->dim; k++)
        p->width[k] = s->min[k] + s->tau + 1, p->cells *= p->width[k];
    p->offset = malloc((size_t)p->cells * sizeof *p->offset);
    for (long cell = 0, points = 1; cell < p->cells; cell++, points = 1) {
        int level[DIM_MOST]; /* then: of the smallest grid that has this subspace */
        levels_of(p, cell, level);
        for (int k = 0; k < s->dim; k++) {
            points *= points_of_level(level[k]);
            level[k] = level[k] > s->min[k] ? level[k] : s->min[k];
        }
        bool any = scheme_find(s, level) >= 0;
        p->offset[cell] = any ? p->length : -1;
        p->length += any ? points : 0;
    }
}

/* Where a point of a grid is in the sparse grid: point i of 2^l is number i / 2^(l-j+1) of its level j. */
static long place(const struct sparse *p, const struct grid *g, long point)
{
    long cell = 0, number = 0;
    for (int k = 0; k < g->dim; k++) {
        int level = grid_level(g, point, k);
        cell = cell * p->width[k] + level;
        number = number * points_of_level(level) + (grid_along(g, point, k) >> (g->level[k] - level + 1));
    }
    return p->offset[cell] + number;
}

void sparse_add(const struct sparse *p, const struct grid *g, const double *surplus, double weight, double *sparse)
{
    for (long point = 0; point < g->points; point++)
        sparse[place(p, g, point)] += weight * surplus[point];
}

void sparse_take(const struct sparse *p, const struct grid *g, const double *sparse, double *surplus)
{
    for (long point = 0; point < g->points; point++)
        surplus[point] = sparse[place(p, g, point)];
}

/* In each subspace one hat function is not zero at x: its centre is at an odd multiple of 2^-level. */
double sparse_at(const struct sparse *p, const double *sparse, const double *x)
{
    int level[DIM_MOST];
    double sum = 0, hat = 1;
    for (long cell = 0, number = 0; cell < p->cells; cell++, number = 0, hat = 1) {
        if (p->offset[cell] < 0)
            continue;
        levels_of(p, cell, level);
        for (int k = 0; k < p->dim; k++) {
            double scaled = level[k] == 0 ? 0.5 : (x[k] - floor(x[k])) * (double)points_of_level(level[k]);
            number = number * points_of_level(level[k]) + (long)scaled;
            hat *= 1 - fabs(2 * (scaled - floor(scaled)) - 1);
        }
        sum += hat * sparse[p->offset[cell] + number];
    }
    return sum;
}

/* A sequence of low discrepancy: multiples of powers of the root of r^(d+1) = r + 1. */
void sample_point(int dim, int number, double *x)
{
    static const double root[DIM_MOST + 1] = {0, 1.618033988749895, 1.324717957244746, 1.220744084605760};
    for (int k = 0; k < dim; k++)
        x[k] = fmod(0.5 + number * pow(root[dim], -k - 1), 1);
}

double sparse_distance(const struct sparse *p, const double *one, const double *other)
{
    double sum = 0, x[DIM_MOST];
    for (int i = 0; i < SAMPLES; i++) {
        sample_point(p->dim, i, x);
        sum += pow(sparse_at(p, one, x) - sparse_at(p, other, x), 2);
    }
    return sqrt(sum / SAMPLES);
}
