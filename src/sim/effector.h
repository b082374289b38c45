/* effector: a FAIL scenario acts on simulated nodes of the protocol core.
 *
 * Slots of places with a program are given the nodes 0, 1, 2, ... in the order of the text. Slots beyond the last node are
 * empty: no process ever comes there. Nodes beyond the last slot are left alone. A node is started at time 0 (`onload`), dies
 * by `halt`, is paused by `stop`, loses its links by `cut`. One that learns that the others hold it for dead ends (`onerror`).
 * Nobody comes back: the protocol knows no second life; fail/platform.h is the model of a job that is launched again.
 *
 * What a scenario may ask for is checked before, by knell_fail_require() with the effector "simulator". */
#ifndef KNELL_SIM_EFFECTOR_H
#define KNELL_SIM_EFFECTOR_H

#include "sim/judge.h"

#include <knell/fail.h>

/* How long a message from daemon to daemon takes, on a net of their own. */
#define KNELL_EFFECTOR_DELAY_NS INT64_C(100000)

struct knell_effector_plan {
    struct knell_config config; /* KNELL_BEATS_SENT, in the natural order */
    enum knell_network network;
    const struct knell_fail_program *program;
    knell_time until; /* the run ends then, if the scenario does not end before */
};

/* What to hear of one run; each may be NULL. */
struct knell_effector_log {
    void *context;
    void (*record)(void *context, const struct knell_fail_record *record);
    void (*event)(void *context, const struct knell_ring_event *event);
};

struct knell_effector_result {
    struct knell_verdict verdict;
    uint32_t faults;               /* halt, stop and cut that had an effect */
    uint64_t fired;                /* rules */
    uint64_t errors;               /* of the scenario itself: see docs/use/scenarios.md */
    uint64_t events;               /* of the world */
    uint64_t broadcasts, messages; /* started, and sent in all */
    bool cut_off;                  /* the end was `until`, not the scenario's own */
    bool no_memory;
};

struct knell_effector;

/* Scratch of one thread; NULL: no memory. The plan's program outlives it. */
struct knell_effector *knell_effector_new(const struct knell_effector_plan *plan);
void knell_effector_free(struct knell_effector *effector);

/* One run. It ends by itself when the scenario has nothing more to do, or nobody to do it to, the platform is stable, and
 * 2 delta have passed since the scenario did something. */
void knell_effector_run(struct knell_effector *effector, uint64_t key, const struct knell_effector_log *log,
                        struct knell_effector_result *result);

#endif
