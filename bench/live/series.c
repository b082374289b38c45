/* See series.h. */
#include "series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void series_add(struct series *series, double value)
{
    if (series->count == series->room) {
        series->room = series->room ? 2 * series->room : 16;
        series->value = realloc(series->value, series->room * sizeof *series->value);
        if (!series->value)
            abort(); /* no memory for observations */
    }
    series->value[series->count++] = value;
}

void series_free(struct series *series)
{
    free(series->value);
    *series = (struct series){0};
}

double series_mean(const struct series *series)
{
    double sum = 0;
    for (size_t i = 0; i < series->count; i++)
        sum += series->value[i];
    return series->count ? sum / (double)series->count : NAN;
}

double series_most(const struct series *series)
{
    double most = series->count ? series->value[0] : NAN;
    for (size_t i = 1; i < series->count; i++)
        most = series->value[i] > most ? series->value[i] : most;
    return most;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double series_median(struct series *series)
{
    size_t half = series->count / 2;
    if (series->count == 0)
        return NAN;
    qsort(series->value, series->count, sizeof *series->value, by_size);
    return series->count % 2 ? series->value[half] : (series->value[half - 1] + series->value[half]) / 2;
}

/* How many of the smallest, and of the largest, may be left out: the most for which fewer than that many of `count` fair coins fall on
 * one side with at most 2.5 %. */
static size_t left_out(size_t count)
{
    double each = pow(0.5, (double)count), sum = 0;
    for (size_t k = 0; k < count / 2; k++) {
        sum += each;
        if (sum > 0.025)
            return k;
        each *= (double)(count - k) / (double)(k + 1);
    }
    return 0;
}

struct interval series_interval(struct series *series)
{
    if (series->count == 0)
        return (struct interval){NAN, NAN};
    series_median(series); /* sorts */
    size_t out = left_out(series->count), first = out > 0 ? out - 1 : 0;
    return (struct interval){series->value[first], series->value[series->count - 1 - first]};
}

const char *series_text(struct series *series, char text[64])
{
    struct interval interval = series_interval(series);
    snprintf(text, 64, "%.4g [%.4g, %.4g]", series_median(series), interval.low, interval.high);
    return text;
}
