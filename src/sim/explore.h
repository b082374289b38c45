/* explore: every run of one agreement of a few real nodes: all orders of proposals, deliveries and death notices, all crash
 * points, between steps and in the middle of a send. Exhaustive, with states met before cut off. */
#ifndef KNELL_SIM_EXPLORE_H
#define KNELL_SIM_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KNELL_EXPLORE_NODES_MAX = 6, KNELL_EXPLORE_STORY = 4096 };

struct knell_explore_result {
    uint64_t states; /* distinct */
    uint64_t steps;  /* transitions taken */
    uint64_t ends;   /* states in which nothing but a crash can happen */
    uint64_t lost;   /* steps in which a decision was made anew after all who held another one had died */
    bool violated;
    bool no_memory;
    char story[KNELL_EXPLORE_STORY]; /* what led to the violation, a line per step, and what it is */
};

/* What may happen beside the agreement, at any time: so many nodes crash, are accused though they live, or leave. */
struct knell_explore_plan {
    uint32_t nodes, crashes, accusations, leaves;
    uint32_t tree_bits; /* as in struct knell_config */
    bool careful;       /* who contributes acknowledges what it knows; otherwise nobody acknowledges anything */
};

/* `progress` is called now and then with the number of states; may be NULL. */
void knell_explore_agreement(const struct knell_explore_plan *plan, void (*progress)(void *context, uint64_t states),
                             void *context, struct knell_explore_result *result);

#endif
