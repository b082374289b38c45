/* SWIM, a rival of the ring (Das, Gupta and Motivala, 2002; memberlist and others follow it): a model to compare with. It is a model of
 * a peer and shares nothing with the core.
 *
 * Time goes in protocol periods. In each, every living member pings one other, in an order that is shuffled anew after each round through all
 * (section 4.3). Without an answer it asks k others to ping for it (ping-req). Without any it suspects the member at the period's end. Every
 * message carries updates: suspected, alive after all, dead (4.1). Who is suspected and hears of it says that it is alive, under a higher incarnation;
 * a suspicion that lasts long enough becomes a death, for good (4.2).
 *
 * Messages take no time and are lost independently. Members act in the order of their numbers, so word may pass through several in one period, as it
 * does between members whose periods begin at different times. Not modelled: joining, a member that is told of its own death, and what
 * memberlist adds (Lifeguard, gossip beside the pings, exchange of whole lists). */
#ifndef KNELL_SIM_SWIM_H
#define KNELL_SIM_SWIM_H

#include <stdbool.h>
#include <stdint.h>

enum { KNELL_SWIM_INDIRECT_MAX = 64, KNELL_SWIM_PIGGYBACK_MAX = 64, KNELL_SWIM_REPEATS_MAX = UINT16_MAX };

struct knell_swim_plan {
    uint32_t nodes;     /* N, 3 or more */
    uint32_t failures;  /* the last F of them die at time 0; at most N - 2 */
    uint32_t indirect;  /* k: asked to ping whom one could not reach */
    uint32_t piggyback; /* updates in a message; 0: no gossip, each finds out for itself */
    uint32_t repeats;   /* how often a member passes an update on */
    uint32_t suspicion; /* periods from a suspicion to a death; 0: at once */
    uint32_t periods;   /* the run lasts at least so long */
    double loss;        /* of a message, 0 to less than 1 */
};

struct knell_swim_result {
    double suspected; /* periods until somebody suspects a dead member, */
    double declared;  /* and until somebody holds it for dead: means over the dead, 0 without any */
    double known;     /* until every living member holds all the dead for dead */
    double messages;  /* sent per living member and period */
    uint64_t periods;
    uint64_t false_suspicions; /* probes of the living that failed */
    uint32_t false_positives;  /* living members that somebody held for dead */
    bool no_memory;
};

/* The scratch memory of a thread: 12 bytes for each member and each one that was ever suspected. NULL: no memory. */
struct knell_swim *knell_swim_new(const struct knell_swim_plan *plan);
void knell_swim_free(struct knell_swim *swim);

/* One run; a function of (plan, key). */
void knell_swim_run(struct knell_swim *swim, uint64_t key, struct knell_swim_result *result);

/* ---- what the paper expects, for large groups of which a share `alive` lives ------------------------------------------ */

/* Periods until a death is first noticed: 1 / (1 - e^-alive); e / (e - 1) when all others live. */
double knell_swim_first_expected(double alive);

/* The latest period in which a given member notices a death by its own ping: 2 (N - 1) - 1. */
uint64_t knell_swim_first_bound(uint32_t nodes);

/* How likely a probe of a living member fails when messages are lost: (1 - q^2) (1 - alive q^4)^k with q = 1 - loss. */
double knell_swim_false_probe(double loss, double alive, uint32_t indirect);

/* ceil(factor ln(N + 1)): the periods, and the repetitions, in which gossip reaches all with high probability. */
uint32_t knell_swim_spread(double factor, uint32_t nodes);

#endif
