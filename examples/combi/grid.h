/* grid: the points of one grid, and the sparse grid on which all of them are combined. Knows nothing of MPI or of the equation.
 *
 * Everything is periodic: a grid of level l has 2^l[k] points along axis k. A *surplus* is the difference between a value and
 * the interpolation of its neighbours one level below; on the surpluses a combination is a plain weighted sum, because all grids
 * have them on the same points. */
#ifndef COMBI_GRID_H
#define COMBI_GRID_H

#include "levels.h"

struct grid {
    int dim, level[DIM_MOST];
    int slab; /* the axis along which a group divides it: the coarsest, where fewest time steps need the neighbours */
    long n[DIM_MOST], stride[DIM_MOST], points; /* the slab has the largest stride */
};

void grid_make(struct grid *g, int dim, const int *level);

/* The coordinates of a point, in [0,1). */
void grid_point(const struct grid *g, long point, double *x);

/* The number of a point along one axis; the lowest level that has it there. */
long grid_along(const struct grid *g, long point, int axis);
int grid_level(const struct grid *g, long point, int axis);

void grid_to_surplus(const struct grid *g, double *value);
void grid_from_surplus(const struct grid *g, double *value);

/* The sparse grid of a scheme: surpluses of all subspaces j, one after the other, those of j at offset[j]. */
struct sparse {
    int dim, width[DIM_MOST];
    long cells, *offset; /* -1: no grid has this subspace */
    long length;
};

void sparse_make(struct sparse *p, const struct scheme *s);

/* sparse += weight * surplus of the grid. */
void sparse_add(const struct sparse *p, const struct grid *g, const double *surplus, double weight, double *sparse);

/* The surpluses of the grid out of the sparse grid. */
void sparse_take(const struct sparse *p, const struct grid *g, const double *sparse, double *surplus);

/* The combined solution at a point. */
double sparse_at(const struct sparse *p, const double *sparse, const double *x);

/* Points all over the cube, for norms: the root of the mean square of something at all of them. */
enum { SAMPLES = 2048 };
void sample_point(int dim, int number, double *x);
double sparse_distance(const struct sparse *p, const double *one, const double *other);

#endif
