/* Distributions that need the logarithm, which util/prng.h must do without. */
#ifndef KNELL_SIM_DIST_H
#define KNELL_SIM_DIST_H

#include "util/prng.h"

#include <math.h>

/* Exponential with that mean; never negative, always finite. */
static inline double knell_dist_exponential(struct knell_prng *g, double mean)
{
    return -mean * log(knell_prng_unit_open(g));
}

/* How many trials fail before the next success when each succeeds with probability p in (0, 1): geometric, from 0. Pass
 * log1p(-p), computed once for many draws. Up to infinity when p is tiny, hence a double. */
static inline double knell_dist_skip(struct knell_prng *g, double log1p_minus_p)
{
    return floor(log(knell_prng_unit_open(g)) / log1p_minus_p);
}

#endif
