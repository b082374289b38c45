/* ring: a run of the detector: nodes die, and we look how long it takes until everybody knows. In two fidelities:
 * full (ring_full.c) steps the protocol core at every message; fast (ring_fast.c) is the papers' abstraction. */
#ifndef KNELL_SIM_RING_H
#define KNELL_SIM_RING_H

#include "sim/failures.h"
#include "sim/world.h"

/* What happened, for whoever draws it. Times since the first failure. */
enum knell_ring_event_type {
    KNELL_RING_FAILURE,   /* rank dies */
    KNELL_RING_DETECTION, /* rank is found dead by `by` itself */
    KNELL_RING_KNOWN,     /* every living node knows of rank */
    KNELL_RING_STABLE,    /* every living node knows every dead one, and the ring is whole */
    KNELL_RING_SILENCE,   /* rank lives, but is paused or cut off, long enough to be held for dead; told only then */
};
struct knell_ring_event {
    enum knell_ring_event_type type;
    knell_time time;
    knell_rank rank;
    knell_rank by;
};

struct knell_ring_plan {
    struct knell_config config;
    enum knell_network network;
    struct knell_failures_plan failures;
    /* Called in order of time; may be NULL. Full fidelity only. */
    void (*log)(void *context, const struct knell_ring_event *event);
    void *log_context;
};

struct knell_ring_result {
    double first_s;  /* from the first failure until every living node knows it, */
    double stable_s; /* and until the platform is stable */
    uint32_t failures;
    uint32_t suspected_living; /* property violations: a living node held for dead, */
    uint32_t never_known;      /* a death that did not become known to all, */
    uint32_t bound_broken;     /* an unstable time of f <= f_max failures longer than T(f) */
    uint64_t events;
    uint64_t broadcasts, messages; /* started, and sent in all; full fidelity only */
    bool no_memory;
};

/* How long before the first failure nodes have been beating: long enough that each has emitted. */
knell_time knell_ring_origin(const struct knell_config *config);

/* T(f) in ns for f failures among the ranks of this configuration; KNELL_NEVER if it does not hold for them, or is longer
 * than time itself. */
knell_time knell_ring_bound(const struct knell_config *config, uint32_t failures);

/* Scratch of one thread; NULL: no memory. */
struct knell_ring_full *knell_ring_full_new(const struct knell_ring_plan *plan);
void knell_ring_full_free(struct knell_ring_full *full);
void knell_ring_full_run(struct knell_ring_full *full, uint64_t key, struct knell_ring_result *result);

struct knell_ring_fast *knell_ring_fast_new(const struct knell_ring_plan *plan);
void knell_ring_fast_free(struct knell_ring_fast *fast);
void knell_ring_fast_run(struct knell_ring_fast *fast, uint64_t key, struct knell_ring_result *result);

#endif
