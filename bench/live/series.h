/* series: repeated observations of one thing, and a table of them on standard output and in a CSV file. */
#ifndef KNELL_BENCH_LIVE_SERIES_H
#define KNELL_BENCH_LIVE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct series {
    size_t count, room;
    double *value;
};
void series_add(struct series *series, double value);
void series_free(struct series *series);
double series_mean(const struct series *series);
double series_most(const struct series *series);
double series_median(struct series *series);

/* Holds the median of what was drawn from with 95 % or more, whatever the distribution; with fewer than six observations it is
 * all of them, and the certainty less. */
struct interval {
    double low, high;
};
struct interval series_interval(struct series *series);

/* "12.3 [11.9, 12.8]" for the eye. */
const char *series_text(struct series *series, char text[64]);

/* DIR/NAME.csv with this head. Ends the program when it cannot be written. */
FILE *csv_open(const char *dir, const char *name, const char *head);
void csv_close(FILE *csv);

#endif
