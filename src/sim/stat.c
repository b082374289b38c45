/* Two passes, each with a compensated sum: 10,000 samples near 60 s with a spread of microseconds keep their digits. */
#include "sim/stat.h"

#include <math.h>

/* Neumaier's sum: `lost` collects what the additions round away. */
struct sum {
    double total;
    double lost;
};

static void sum_add(struct sum *s, double x)
{
    double t = s->total + x;

    s->lost += fabs(s->total) >= fabs(x) ? (s->total - t) + x : (x - t) + s->total;
    s->total = t;
}

static double mean_of(const double *samples, size_t n)
{
    struct sum s = {0};

    for (size_t i = 0; i < n; i++)
        sum_add(&s, samples[i]);
    return (s.total + s.lost) / (double)n;
}

static double half_width(const double *samples, size_t n, double mean)
{
    struct sum squares = {0};

    if (n < 2)
        return 0;
    for (size_t i = 0; i < n; i++)
        sum_add(&squares, (samples[i] - mean) * (samples[i] - mean));
    double variance = (squares.total + squares.lost) / (double)(n - 1);
    return 1.96 * sqrt(variance / (double)n);
}

struct knell_stat knell_stat_of(const double *samples, size_t n)
{
    struct knell_stat stat = {0};

    if (n == 0)
        return stat;
    stat.max = stat.min = samples[0];
    for (size_t i = 1; i < n; i++) {
        stat.max = fmax(stat.max, samples[i]);
        stat.min = fmin(stat.min, samples[i]);
    }
    stat.mean = mean_of(samples, n);
    stat.ci95 = half_width(samples, n, stat.mean);
    return stat;
}
