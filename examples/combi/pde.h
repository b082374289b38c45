/* pde: the equation, u_t + a . grad u = nu lap u on the unit cube, periodic, with a known solution; and its solver on one grid,
 * which a group of ranks shares. Knows nothing of combinations or of recovery: it returns the code of the MPI call that failed. */
#ifndef COMBI_PDE_H
#define COMBI_PDE_H

#include "grid.h"

#include <mpi.h>

/* The solution at time t: a hill that wanders and becomes flat. */
double pde_exact(int dim, const double *x, double t);

/* What one grid costs for a span of time: its points times the steps along each axis. */
double pde_cost(const struct grid *g, double span);

/* A rank's part of a grid: rows first .. first + rows - 1 along the slab. */
void pde_block(const struct grid *g, int rank, int size, long *first, long *rows);

/* Advances the block by a span of time. `u` has rows + 2 rows; the first and the last are room for the neighbours'. */
int pde_advance(const struct grid *g, double span, double *u, MPI_Comm team);

#endif
