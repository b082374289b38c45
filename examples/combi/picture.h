/* picture: the scheme and the solution as SVG. A picture that cannot be written is not an error of the job: it is said. */
#ifndef COMBI_PICTURE_H
#define COMBI_PICTURE_H

#include "job.h"

/* Tables of levels with their weights: what was planned, and beside it, if that is not the same, what it became. */
void picture_scheme(const struct job *j, const int *planned, const int *weight, const bool *lost);

/* The combined solution as a heat map; of three dimensions, the plane through the middle of the third. */
void picture_solution(const struct job *j, double error);

#endif
