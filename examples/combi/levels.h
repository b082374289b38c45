/* levels: which grids there are, and the weights with which they are combined. Knows nothing of MPI or of the equation.
 *
 * A grid is named by its level vector l: its mesh width is 2^-l[k] along axis k. The scheme has all grids between `min` and
 * the diagonal |l| = |min| + tau; it is a downset: with l it has everything below l. Any smaller downset is a combination. */
#ifndef COMBI_LEVELS_H
#define COMBI_LEVELS_H

#include <stdbool.h>

enum { DIM_MOST = 3, GRIDS_MOST = 256 };

struct scheme {
    int dim, tau, min[DIM_MOST];
    int count, level[GRIDS_MOST][DIM_MOST];
    int layer[GRIDS_MOST]; /* how far a grid is below the diagonal: 0 on it */
};

bool scheme_make(struct scheme *s, int dim, const int *min, int tau); /* false: more than GRIDS_MOST grids */
int scheme_find(const struct scheme *s, const int *level);            /* the number of a grid; -1: there is none */
const char *level_text(const struct scheme *s, int grid);             /* "[3,8]", until the next call */

/* The weights of the combination on a downset. On the whole scheme: the classic ones, (-1)^q (d-1 over q) on layer q. */
void weights_of(const struct scheme *s, const bool *downset, int *weight);

/* Makes the downset smaller until no lost grid has a weight. False: nothing is left of it. */
bool weights_without(const struct scheme *s, const bool *lost, bool *downset, int *weight);

/* About how many times as large the error is with this downset as with the whole scheme. */
double weights_error(const struct scheme *s, const bool *downset);

/* A downset without its outermost grids: a coarser combination, and the difference of both estimates the error. */
void downset_coarser(const struct scheme *s, const bool *downset, bool *coarser);

#endif
