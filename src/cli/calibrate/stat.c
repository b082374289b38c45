/* stat.c: from latencies to a bound with a wanted risk, and from the bound to eta and delta. Pure. */
#include "cli/calibrate/calibrate.h"

#include <math.h>
#include <stdlib.h>

enum {
    ENOUGH = 10,      /* a quantile is measured if so many samples exceed it */
    TAIL_SHARE = 100, /* the tail is fitted to the largest 1/100 of the samples, */
    TAIL_LEAST = 20,  /* and to at least this many */
    LOST_LEAST = 2,
    LOST_MOST = 50,
};
#define LOSS_LEAST 1e-12

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The smallest value with at most that share beyond it. */
static double quantile(const int64_t *sorted, size_t count, double beyond)
{
    size_t above = (size_t)((double)count * beyond);
    return (double)sorted[above < count ? count - 1 - above : 0] * 1e-9;
}

struct calibrate_quantiles calibrate_quantiles_of(int64_t *value, size_t count)
{
    qsort(value, count, sizeof *value, by_value);
    return (struct calibrate_quantiles){
        .min = (double)value[0] * 1e-9,
        .median = quantile(value, count, 0.5),
        .p99 = quantile(value, count, 0.01),
        .p999 = quantile(value, count, 0.001),
        .p9999 = quantile(value, count, 0.0001),
        .max = (double)value[count - 1] * 1e-9,
    };
}

/* ---- the tail ---------------------------------------------------------------------------------------------------- */

/* The largest k values lie above the threshold: their mean excess over it, and their mean log ratio to it. */
struct fit {
    double threshold, excess, log_ratio, share;
};

static struct fit fit_tail(const int64_t *sorted, size_t count)
{
    size_t k = count / TAIL_SHARE > TAIL_LEAST ? count / TAIL_SHARE : TAIL_LEAST;
    k = k < count ? k : count - 1;
    struct fit fit = {.threshold = (double)sorted[count - 1 - k] * 1e-9, .share = (double)k / (double)count};
    for (size_t i = count - k; i < count && fit.threshold > 0; i++) {
        fit.excess += ((double)sorted[i] * 1e-9 - fit.threshold) / (double)k;
        fit.log_ratio += log((double)sorted[i] * 1e-9 / fit.threshold) / (double)k;
    }
    return fit;
}

struct calibrate_tail calibrate_tail_of(const int64_t *sorted, size_t count, double beyond)
{
    struct calibrate_tail tail = {.measured = beyond * (double)count >= ENOUGH || count < 2};
    tail.at_s = tail.power_law_s = quantile(sorted, count, beyond);
    if (tail.measured)
        return tail;
    struct fit fit = fit_tail(sorted, count);
    double most = (double)sorted[count - 1] * 1e-9, ratio = fit.share / beyond;
    tail.at_s = fmax(most, fit.threshold + fit.excess * log(ratio));
    tail.power_law_s = fmax(tail.at_s, fit.threshold * pow(ratio, fit.log_ratio));
    return tail;
}

/* ---- the proposal ------------------------------------------------------------------------------------------------ */

/* The next larger of 1, 2 or 5 times a power of ten, in seconds. */
static double next_round(double seconds)
{
    double power = pow(10, floor(log10(seconds * 1.001))), leading = seconds / power;
    return leading < 1.5 ? 2 * power : leading < 3.5 ? 5 * power : 10 * power;
}

/* Rounds up to two digits. */
static double round_up(double seconds)
{
    double unit = pow(10, floor(log10(seconds)) - 1);
    return ceil(seconds / unit * (1 - 1e-9)) * unit;
}

/* How many lost heartbeats in a row to tolerate: one more is lost too rarely to matter, if losses are independent. */
static unsigned lost_to_survive(double loss, double beyond)
{
    unsigned lost = LOST_LEAST;
    while (loss > LOSS_LEAST && lost < LOST_MOST && pow(loss, lost + 1) > beyond)
        lost++;
    return lost;
}

static void try_eta(const int64_t *sorted, size_t count, const struct calibrate_plan *plan,
                    struct calibrate_proposal *proposal)
{
    double heartbeats = (double)plan->job_ranks * (double)plan->job * 1e-9 / proposal->eta_s;
    proposal->beyond = plan->risk / heartbeats;
    proposal->tau = calibrate_tail_of(sorted, count, proposal->beyond);
    proposal->tau_s = round_up(fmax(proposal->tau.at_s, 1e-6));
}

struct calibrate_proposal calibrate_propose(const int64_t *sorted, size_t count, double loss,
                                            const struct calibrate_plan *plan)
{
    struct calibrate_proposal proposal = {.eta_s = plan->eta ? (double)plan->eta * 1e-9 : 0.01};
    try_eta(sorted, count, plan, &proposal);
    while (!plan->eta && proposal.eta_s < 3 * proposal.tau_s) {
        proposal.eta_s = next_round(proposal.eta_s);
        try_eta(sorted, count, plan, &proposal);
    }
    proposal.lost = lost_to_survive(loss, proposal.beyond);
    proposal.delta_s = (proposal.lost + 1) * proposal.eta_s + proposal.tau_s;
    return proposal;
}
