/* grid: the points of one grid, and the sum of many. Knows nothing of MPI or of the equation.
 *
 * Everything is periodic: a grid of level l has 2^l[k] points along axis k, and is linear between them. So a combination is
 * a function, too: the weighted sum of its grids at any point, also at those of other grids. */
#ifndef COMBI_GRID_H
#define COMBI_GRID_H

#include "levels.h"

struct grid {
    int dim, level[DIM_MOST];
    int slab; /* the axis along which a group divides it: the coarsest, where fewest time steps need the neighbours */
    long n[DIM_MOST], stride[DIM_MOST], points; /* the slab has the largest stride */
};

void grid_make(struct grid *g, int dim, const int *level);
long grid_along(const struct grid *g, long point, int axis);  /* the number of a point along one axis */
void grid_point(const struct grid *g, long point, double *x); /* its coordinates, in [0,1) */
double grid_at(const struct grid *g, const double *value, const double *x);

struct combination {
    int count;
    const struct grid *grid;
    const double *weight; /* 0: the grid has no value */
    double *const *value;
};

double combination_at(const struct combination *c, const double *x);

/* The root of the mean square of the difference to a function at time t; NULL: to 0. */
double combination_distance(const struct combination *c, double (*f)(int dim, const double *x, double t), double t);

#endif
