/* closed: what the simulations of the detector paper's section 4 tend to, in closed form: the lines of its figures.
 * Pure functions in seconds. */
#ifndef KNELL_SIM_CLOSED_H
#define KNELL_SIM_CLOSED_H

#include <stdint.h>

/* Failures at random, at the rate n / mtbf, from a first one until all are known: each takes between delta - eta and
 * delta to be found, whatever else happens, so this is the busy period of an M/G/infinity queue. The time of a broadcast
 * and failures next to each other are left out. */
struct knell_closed_busy {
    double first_s;  /* until all know the first one, delta - eta / 2 */
    double failures; /* e^(first n / mtbf), the first one included */
    double stable_s; /* until all are known, (failures - 1) mtbf / n */
};
struct knell_closed_busy knell_closed_busy(uint64_t n, double mtbf_s, double eta_s, double delta_s);

/* A burst of f failures within delta of the first. When all know the first: delta - eta / 2, and on top of it the case
 * that the observer dies as well; that more than one observer dies is left out. */
double knell_closed_burst_first(uint64_t n, unsigned f, double eta_s, double delta_s);

/* When all know all of them, if no two are next to each other: the latest of f detections. */
double knell_closed_burst_stable(unsigned f, double eta_s, double delta_s);

/* Randomized pinging. The paper's p(N) = ((N - 1) / N)^(N - 1): a given node is not pinged in a round. */
double knell_closed_ping_missed(uint64_t n);

/* Rounds until `nodes` nodes have all been pinged but for that risk, by the union bound: nodes p(n)^rounds = risk. */
double knell_closed_ping_rounds(uint64_t n, double nodes, double risk);

/* ln n / ln ln n: the fullest queue of a round is between this and three times this with high probability. */
double knell_closed_ping_queue(uint64_t n);

#endif
