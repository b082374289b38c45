/* The closed forms of the detector paper, sections 3.2 and 3.3: how long until everybody knows, and how likely it is
 * that more failures than the overlay survives fall into that time. Pure functions in seconds; log is base 2. */
#ifndef KNELL_SIM_BOUNDS_H
#define KNELL_SIM_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* floor(log n) - 1 overlapping failures are tolerated within the bound; 0 for n < 4. */
unsigned knell_bounds_f_max(uint64_t n);

/* B(n) = 8 tau log n: one reliable broadcast over n nodes. */
double knell_bounds_broadcast(uint64_t n, double tau_s);

/* R(f) = f (f + 1) delta + f tau: the ring is closed again after f failures. */
double knell_bounds_reconnect(unsigned f, double delta_s, double tau_s);

/* The three regimes of T, the time to stability. Isolated: R(1) + B. */
double knell_bounds_isolated(uint64_t n, double delta_s, double tau_s);

/* f failures, no two next to each other: R(1) + f B; the rings mend at the same time, the broadcasts queue. */
double knell_bounds_scattered(uint64_t n, unsigned f, double delta_s, double tau_s);

/* f failures in a row, found one by one: T(f) = R(f) + f (f + 1) / 2 B. The worst case. */
double knell_bounds_consecutive(uint64_t n, unsigned f, double delta_s, double tau_s);

/* B(n) is proved for heartbeats that leave the network time to breathe: eta >= 3 tau. */
bool knell_bounds_valid(double eta_s, double tau_s);

/* P(more than f events) for a Poisson variable of that mean. No cancellation: exact to about 1e-13 down to 1e-300. */
double knell_bounds_poisson_tail(double mean, unsigned f);

/* P_T(M), M = f_max: more than M failures strike while M of them are being dealt with, T = T(M). With f_max = 0
 * nothing is tolerated beyond the first failure; then T = T(1), and the risk is that of a second failure within it. */
double knell_bounds_risk(uint64_t n, double mtbf_s, double delta_s, double tau_s);

/* The largest delta with that risk, rounded down; 0 if not even delta = 0 meets it, infinity if every delta does. */
double knell_bounds_delta_max(uint64_t n, double mtbf_s, double tau_s, double risk);

#endif
