/* levels: which grids there are, and the weights with which they are combined. Knows nothing of MPI or of the equation.
 *
 * A grid is named by its level vector l: its mesh width is 2^-l[k] along axis k. The scheme has all grids between `min` and
 * the diagonal |l| = |min| + tau; it is a downset: with l it has everything below l. Any smaller downset is a combination, too. */
#ifndef COMBI_LEVELS_H
#define COMBI_LEVELS_H

#include <stdbool.h>

enum { DIM_MOST = 3, GRIDS_MOST = 256 };

struct scheme {
    int dim, tau, min[DIM_MOST];
    int count, level[GRIDS_MOST][DIM_MOST];
    int layer[GRIDS_MOST]; /* how far a grid is below the diagonal: 0 on it */
};

/* False: more than GRIDS_MOST grids. */
bool scheme_make(struct scheme *s, int dim, const int *min, int tau);

/* The number of the grid with this level vector; -1: the scheme has none. */
int scheme_find(const struct scheme *s, const int *level);

/* The weights of the combination on a downset. On the whole scheme they are the classic ones: (-1)^q (d-1 over q) on layer q. */
void weights_of(const struct scheme *s, const bool *downset, int *weight);

/* Makes the downset smaller until no lost grid has a weight. False: nothing is left of it. */
bool weights_without(const struct scheme *s, const bool *lost, bool *downset, int *weight);

/* About how many times as large the error is with this downset as with the whole scheme. */
double weights_error(const struct scheme *s, const bool *downset);

/* Takes the outermost grids away: what is left is a coarser combination, and the difference an estimate of the error. */
void downset_coarser(const struct scheme *s, bool *downset);

/* "[3,8]"; the text lives until the eighth call from now. */
const char *level_text(const struct scheme *s, int grid);

#endif
