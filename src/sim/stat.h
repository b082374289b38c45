/* Statistics over runs: samples by run index in, mean, 95 % confidence half-width, maximum and minimum out.
 * Summed in run order, so that the result does not depend on which thread ran which run. */
#ifndef KNELL_SIM_STAT_H
#define KNELL_SIM_STAT_H

#include <stddef.h>

struct knell_stat {
    double mean;
    double ci95; /* half-width, 1.96 sd / sqrt(n); 0 for a single sample */
    double max;
    double min;
};

/* All zero for n = 0. */
struct knell_stat knell_stat_of(const double *samples, size_t n);

#endif
