/* See bounds.h. */
#include "sim/bounds.h"

#include <math.h>

unsigned knell_bounds_f_max(uint64_t n)
{
    unsigned log = 0;

    while (n >> (log + 1))
        log++;
    return log > 0 ? log - 1 : 0;
}

double knell_bounds_broadcast(uint64_t n, double tau_s)
{
    return 8 * tau_s * log2((double)n);
}

double knell_bounds_reconnect(unsigned f, double delta_s, double tau_s)
{
    return (double)f * (f + 1) * delta_s + f * tau_s;
}

double knell_bounds_isolated(uint64_t n, double delta_s, double tau_s)
{
    return knell_bounds_consecutive(n, 1, delta_s, tau_s);
}

double knell_bounds_scattered(uint64_t n, unsigned f, double delta_s, double tau_s)
{
    return knell_bounds_reconnect(1, delta_s, tau_s) + f * knell_bounds_broadcast(n, tau_s);
}

double knell_bounds_consecutive(uint64_t n, unsigned f, double delta_s, double tau_s)
{
    return knell_bounds_reconnect(f, delta_s, tau_s) + (double)f * (f + 1) / 2 * knell_bounds_broadcast(n, tau_s);
}

bool knell_bounds_valid(double eta_s, double tau_s)
{
    return eta_s >= 3 * tau_s;
}

/* The tail is e^-m m^k / k! * (1 + m/(k+1) + m^2/((k+1)(k+2)) + ...) with k = f + 1: positive terms only. Where the
 * mean is above k the terms first grow; then the head e^-m (1 + m + ... + m^f/f!) is the small part, and 1 - head
 * loses nothing. */
double knell_bounds_poisson_tail(double mean, unsigned f)
{
    double k = (double)f + 1;

    if (mean <= 0)
        return 0;
    if (mean < k) {
        double term = 1, sum = 1;

        for (unsigned i = 1; term > sum * 1e-17; i++) {
            term *= mean / (k + i);
            sum += term;
        }
        return exp(k * log(mean) - mean - lgamma(k + 1)) * sum;
    }
    double term = 1, sum = 1; /* the head from its last term down: (m^f / f!) (1 + f/m + f(f-1)/m^2 + ...) */
    for (unsigned i = f; i > 0; i--) {
        term *= i / mean;
        sum += term;
    }
    return 1 - exp(f * log(mean) - mean - lgamma(k)) * sum;
}

double knell_bounds_risk(uint64_t n, double mtbf_s, double delta_s, double tau_s)
{
    unsigned f = knell_bounds_f_max(n);
    unsigned tolerated = f > 0 ? f : 1;
    double t = knell_bounds_consecutive(n, tolerated, delta_s, tau_s);

    return knell_bounds_poisson_tail((double)n / mtbf_s * t, tolerated);
}

/* The risk grows with delta, so halving brackets the answer down to neighbouring doubles; the lower end is the safe
 * one. */
double knell_bounds_delta_max(uint64_t n, double mtbf_s, double tau_s, double risk)
{
    double low = 0, high = 1;

    if (knell_bounds_risk(n, mtbf_s, 0, tau_s) >= risk)
        return 0;
    while (knell_bounds_risk(n, mtbf_s, high, tau_s) < risk) {
        high *= 2;
        if (!isfinite(high))
            return high;
    }
    for (;;) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high)
            return low;
        if (knell_bounds_risk(n, mtbf_s, middle, tau_s) < risk)
            low = middle;
        else
            high = middle;
    }
}
