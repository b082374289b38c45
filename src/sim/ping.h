/* Randomized pinging, the rival of the ring (detector paper, 3.4 and 4.3): how many rounds until every node was
 * asked "are you alive?" at least once, and how many such questions one node gets in a round.
 *
 * Node N - 1 has just died; in each round each of the N - 1 others pings one node drawn uniformly from all but
 * itself. */
#ifndef KNELL_SIM_PING_H
#define KNELL_SIM_PING_H

#include <stdint.h>

struct knell_ping_result {
    double rounds;   /* until every node, the dead one too, was a target at least once */
    double queue;    /* the most pings on one node in the first round */
    double messages; /* question and answer: 2 (N - 1) rounds */
};

/* The scratch memory of a thread: 5 bytes a node. NULL without memory. */
struct knell_ping *knell_ping_new(uint32_t nodes);
void knell_ping_free(struct knell_ping *p);

/* One run; a function of (nodes, key). */
void knell_ping_run(struct knell_ping *p, uint64_t key, struct knell_ping_result *result);

#endif
