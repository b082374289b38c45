/* failures: who dies when, in one run. The same key gives the same failures to every fidelity. */
#ifndef KNELL_SIM_FAILURES_H
#define KNELL_SIM_FAILURES_H

#include "util/prng.h"

#include <knell/types.h>
#include <stdbool.h>
#include <stddef.h>

struct knell_failure {
    knell_time time; /* since the first possible one */
    knell_rank rank;
};

enum knell_failures_kind {
    KNELL_FAILURES_BURST, /* `count` random nodes: the first at 0, the others uniform within the window */
    KNELL_FAILURES_MTBF,  /* the first at 0, then exponential with rate n / mtbf until nobody asks for more */
    KNELL_FAILURES_LIST,  /* as written */
};

struct knell_failures_plan {
    enum knell_failures_kind kind;
    uint32_t ranks;
    uint32_t count;                   /* burst */
    knell_time window;                /* burst */
    double mtbf_s;                    /* of one node */
    const struct knell_failure *list; /* sorted by time, ranks distinct */
    size_t list_count;
};

/* The failures of one run, one after the other. */
struct knell_failures {
    const struct knell_failures_plan *plan;
    struct knell_prng prng;
    struct knell_failure *drawn; /* those given out so far, and for a burst all */
    size_t count, room, given;
    double time_s;
};

void knell_failures_begin(struct knell_failures *failures, const struct knell_failures_plan *plan, uint64_t key);

/* The next one; false when there is none, or no memory (then `drawn` is NULL). At least one node is left alive. */
bool knell_failures_next(struct knell_failures *failures, struct knell_failure *next);

/* Keep the struct, all zero at first, for all runs of a thread; this frees it. */
void knell_failures_free(struct knell_failures *failures);

#endif
