/* See closed.h. */
#include "sim/closed.h"

#include <math.h>

struct knell_closed_busy knell_closed_busy(uint64_t n, double mtbf_s, double eta_s, double delta_s)
{
    double rate = (double)n / mtbf_s, found_s = delta_s - eta_s / 2;

    return (struct knell_closed_busy){found_s, exp(rate * found_s), expm1(rate * found_s) / rate};
}

/* A detection takes S, uniform in (delta - eta, delta]. One of the f - 1 others is the observer with probability
 * (f - 1) / (n - 1); it dies at a time U uniform in (0, delta), which matters when U < S. Then the next one along the
 * ring finds it at U + S on average, connects to the dead node behind it and gives that one 2 delta. */
double knell_closed_burst_first(uint64_t n, unsigned f, double eta_s, double delta_s)
{
    double found_s = delta_s - eta_s / 2;
    double found_squared = found_s * found_s + eta_s * eta_s / 12;
    double later_s = found_squared / (2 * delta_s) + found_s / delta_s * 2 * delta_s;

    return found_s + (f - 1.0) / ((double)n - 1) * later_s;
}

/* The integral of min(max(y, 0) / w, 1) up to y: from it, by a difference, the distribution of U + S. */
static double ramp(double y, double w)
{
    if (y <= 0)
        return 0;
    return y < w ? y * y / (2 * w) : y - w / 2;
}

/* The mean of a positive variable is the integral of 1 - F; for the latest of independent ones F is the product. */
double knell_closed_burst_stable(unsigned f, double eta_s, double delta_s)
{
    enum { STEPS = 20000 };
    double step = 2 * delta_s / STEPS, sum = 0;

    for (int i = 0; i < STEPS; i++) {
        double x = (i + 0.5) * step, earliest = delta_s - eta_s;
        double first = fmin(fmax((x - earliest) / eta_s, 0), 1);
        double other = (ramp(x - earliest, delta_s) - ramp(x - delta_s, delta_s)) / eta_s;

        sum += 1 - first * pow(other, f - 1.0);
    }
    return sum * step;
}

double knell_closed_ping_missed(uint64_t n)
{
    return exp(((double)n - 1) * log1p(-1 / (double)n));
}

double knell_closed_ping_rounds(uint64_t n, double nodes, double risk)
{
    return log(risk / nodes) / log(knell_closed_ping_missed(n));
}

double knell_closed_ping_queue(uint64_t n)
{
    return log((double)n) / log(log((double)n));
}
