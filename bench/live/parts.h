/* parts: what bench-live can measure; one file each. */
#ifndef KNELL_BENCH_LIVE_PARTS_H
#define KNELL_BENCH_LIVE_PARTS_H

#include <stdbool.h>

struct options {
    bool quick;      /* a look whether it works, not a measurement */
    const char *out; /* folder of the CSV files */
    double minutes;  /* of each kind and load in `windows` */
    double window_s; /* of one of its windows */
};

void part_kill(const struct options *options);     /* SIGKILL with all shortcuts, a silent stop with none */
void part_cost(const struct options *options);     /* processor, memory, descriptors */
void part_fig8(const struct options *options);     /* what a program beside the detector loses */
void part_accuracy(const struct options *options); /* the smallest eta beside a busy program */
void part_eta(const struct options *options);      /* figure 9: equal eta, equal packets */
void part_smallest(const struct options *options); /* figure 9: each at its smallest setting */
void part_stall(const struct options *options);    /* figure 9: the longest stop that is forgiven */
void part_fig10(const struct options *options);    /* simultaneous deaths, concurrent broadcasts */
void part_windows(const struct options *options);  /* nobody dies: false positives */

#endif
