#include "grid.h"

#include <math.h>
#include <string.h>

void grid_make(struct grid *g, int dim, const int *level)
{
    *g = (struct grid){.dim = dim, .points = 1};
    memcpy(g->level, level, (size_t)dim * sizeof *level);
    for (int k = 1; k < dim; k++)
        if (level[k] < level[g->slab])
            g->slab = k;
    for (int i = 1; i <= dim; i++) { /* the slab comes last */
        int k = (g->slab + i) % dim;
        g->n[k] = 1L << level[k];
        g->stride[k] = g->points;
        g->points *= g->n[k];
    }
}

long grid_along(const struct grid *g, long point, int axis)
{
    return point / g->stride[axis] % g->n[axis];
}

void grid_point(const struct grid *g, long point, double *x)
{
    for (int k = 0; k < g->dim; k++)
        x[k] = (double)grid_along(g, point, k) / (double)g->n[k];
}

/* The mean of the corners of the cell around x, each with its share. */
double grid_at(const struct grid *g, const double *value, const double *x)
{
    long at[DIM_MOST][2];
    double share[DIM_MOST][2], sum = 0;
    for (int k = 0; k < g->dim; k++) {
        double scaled = x[k] * (double)g->n[k];
        long i = (long)scaled;
        at[k][0] = i * g->stride[k], at[k][1] = (i + 1) % g->n[k] * g->stride[k];
        share[k][1] = scaled - (double)i, share[k][0] = 1 - share[k][1];
    }
    for (int corner = 0; corner < 1 << g->dim; corner++) {
        double product = 1;
        long point = 0;
        for (int k = 0; k < g->dim; k++)
            product *= share[k][corner >> k & 1], point += at[k][corner >> k & 1];
        sum += product * value[point];
    }
    return sum;
}

double combination_at(const struct combination *c, const double *x)
{
    double sum = 0;
    for (int i = 0; i < c->count; i++)
        if (c->weight[i] != 0)
            sum += c->weight[i] * grid_at(&c->grid[i], c->value[i], x);
    return sum;
}

/* The points are a sequence of low discrepancy: multiples of powers of the root of r^(d+1) = r + 1. */
double combination_distance(const struct combination *c, double (*f)(int dim, const double *x, double t), double t)
{
    static const double root[DIM_MOST + 1] = {0, 1.618033988749895, 1.324717957244746, 1.220744084605760};
    enum { SAMPLES = 2048 };
    int dim = c->grid[0].dim;
    double sum = 0, x[DIM_MOST];
    for (int i = 0; i < SAMPLES; i++) {
        for (int k = 0; k < dim; k++)
            x[k] = fmod(0.5 + i * pow(root[dim], -k - 1), 1);
        sum += pow(combination_at(c, x) - (f ? f(dim, x, t) : 0), 2);
    }
    return sqrt(sum / SAMPLES);
}
