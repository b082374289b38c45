/* See bench.h. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static double clock_s(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double bench_now_s(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

double bench_cpu_s(void)
{
    return clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

void bench_add(struct bench_series *series, double sample)
{
    size_t at = series->n++;

    for (; at > 0 && series->sample[at - 1] > sample; at--)
        series->sample[at] = series->sample[at - 1];
    series->sample[at] = sample;
}

double bench_median(const struct bench_series *series)
{
    size_t half = series->n / 2;

    return series->n % 2 ? series->sample[half] : (series->sample[half - 1] + series->sample[half]) / 2;
}

double bench_least(const struct bench_series *series)
{
    return series->sample[0];
}

double bench_most(const struct bench_series *series)
{
    return series->sample[series->n - 1];
}

FILE *bench_begin(const char *name, const char *title)
{
    char path[64];
    FILE *csv;

    snprintf(path, sizeof path, "%s.csv", name);
    csv = fopen(path, "w");
    if (!csv)
        give_up(path);
    fputs("what,unit,median,least,most,repetitions,bar,met\n", csv);
    printf("%s\n  %-46s %-11s %10s %10s %10s %3s\n", title, "", "", "median", "least", "most", "n");
    return csv;
}

void bench_row(FILE *csv, const char *what, const char *unit, const struct bench_series *series, const char *bar,
               bool met)
{
    double median = bench_median(series), least = bench_least(series), most = bench_most(series);

    printf("  %-46s %-11s %10.4g %10.4g %10.4g %3zu", what, unit, median, least, most, series->n);
    if (bar)
        printf("  %s: %s", bar, met ? "met" : "MISSED");
    putchar('\n');
    fflush(stdout);
    fprintf(csv, "\"%s\",%s,%.6g,%.6g,%.6g,%zu,%s,%s\n", what, unit, median, least, most, series->n, bar ? bar : "",
            !bar  ? ""
            : met ? "yes"
                  : "no");
}

void bench_end(FILE *csv)
{
    if (fclose(csv) != 0)
        give_up("CSV");
    putchar('\n');
}

double bench_apart(double (*work)(const void *argument), const void *argument)
{
    int ends[2], status;
    double result;

    fflush(NULL);
    if (pipe(ends) != 0)
        give_up("pipe");
    pid_t child = fork();
    if (child < 0)
        give_up("fork");
    if (child == 0) {
        result = work(argument);
        _exit(write(ends[1], &result, sizeof result) != sizeof result);
    }
    close(ends[1]);
    bool whole = read(ends[0], &result, sizeof result) == sizeof result;
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status != 0 || !whole) {
        fprintf(stderr, "bench: the measured process did not end well\n");
        exit(1);
    }
    return result;
}

double bench_peak_mib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}
