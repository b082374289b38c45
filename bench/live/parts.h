/* parts: what bench-live can measure; one file each. */
#ifndef KNELL_BENCH_LIVE_PARTS_H
#define KNELL_BENCH_LIVE_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct options {
    bool quick;      /* a look whether it works, not a measurement */
    const char *out; /* folder of the CSV files */
    bool add;        /* to the files there already are */
    uint32_t ranks;  /* only with so many members; 0: with all numbers of them */
    int load;        /* only under this of enum machine_load; -1: under each */
    double minutes;  /* of each kind and load in `windows` */
    double window_s; /* of one of its windows */
};

bool options_want(const struct options *options, uint32_t ranks);
bool options_want_load(const struct options *options, int load);

/* DIR/NAME.csv with this head. Ends the program when it cannot be written. */
FILE *csv_open(const struct options *options, const char *name, const char *head);
void csv_close(FILE *csv);

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
