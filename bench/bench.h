/* bench: what the measuring programs share: a clock, the median of repetitions, a table and a CSV file of its rows. */
#ifndef KNELL_BENCH_H
#define KNELL_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Seven repetitions: then least and most hold the true median with 98 % (2 * 0.5^7 is outside). */
enum { BENCH_REPETITIONS = 7 };

struct bench_series {
    size_t n;
    double sample[BENCH_REPETITIONS];
};

double bench_now_s(void);

/* Seconds this process has had a core: on a machine shared with others, the time that work on one core takes. */
double bench_cpu_s(void);
void bench_add(struct bench_series *series, double sample);
double bench_median(const struct bench_series *series);
double bench_least(const struct bench_series *series);
double bench_most(const struct bench_series *series);

/* A table on standard output and the file NAME.csv in the current folder. Ends the program if it cannot be written. */
FILE *bench_begin(const char *name, const char *title);

/* One row. `bar` says what is asked for, as in "at least 5e6", and `met` whether it is; NULL: nothing is. */
void bench_row(FILE *csv, const char *what, const char *unit, const struct bench_series *series, const char *bar,
               bool met);
void bench_end(FILE *csv);

/* Runs `work` in a process of its own and hands back what it returns; for peak memory, which a process never loses. */
double bench_apart(double (*work)(const void *argument), const void *argument);

/* The most memory this process has had, in MiB. */
double bench_peak_mib(void);

#endif
