/* fail.h: what the files of a scenario on MPI ranks share.
 *
 *     fail.c      the scenario from begin to end, and the events of ranks
 *     fail_arm.c  what the desks say: which calls are armed, how many of them pass, variables
 *     fail_act.c  what the scenario does to ranks
 *     fail_ask.c  what it did, what it waited for, where it holds ranks */
#ifndef KNELL_CLI_RUN_FAIL_H
#define KNELL_CLI_RUN_FAIL_H

#include "cli/run/run.h"

/* The state of one rank in the scenario. */
struct run_fail_slot {
    uint32_t instance;
    bool held;                     /* it waits for an answer */
    bool before;                   /* and it waits before a call, not after */
    struct run_fail_hold at;       /* where it was held last */
    struct knell_fail_event call;  /* the last event at the entry of a call, or inside of it */
    struct run_fail_missed missed; /* the last stop inside of a call that it did not come to */
    uint32_t passing;              /* the value that desk->left was set to: so many calls of `probe` may pass unseen */
    struct knell_fail_probe probe;
    uint32_t rest;   /* how many of them were left at the last catch-up */
    bool look_again; /* a step concerned it: look ahead again after the steps that are due */
};

struct run_fail {
    struct run_job *job;
    struct scenario scenario;
    void *memory;
    struct knell_fail_world *world;
    int *rank_of;               /* by instance; -1: none */
    struct run_fail_slot *slot; /* by rank */
    bool *means;                /* indexed by function of the scenario and call: does the name mean the call? */
    bool stepping;              /* messages and timers that are due are being stepped */
    uint64_t *calls;            /* indexed by rank, function, before or after: calls reported */
    uint64_t faults;            /* faults injected */
    int64_t due;                /* the last time it waited for; 0: none */
};

/* ---- fail_arm.c -------------------------------------------------------------------------------------------------- */

/* A table of which name means which calls; the caller frees it. NULL: no memory. */
bool *run_fail_meanings(const struct knell_fail_program *program);
/* The scenario's name by which the rank's daemon waits for this call; KNELL_FAIL_NO_SUBJECT: it does not. */
uint32_t run_fail_function_of(const struct run_fail *fail, int rank, int call, enum knell_fail_event_type type);

/* Calls of the function at which the rank was held, or which passed, before (inside too) or after them. */
uint64_t *run_fail_counter(const struct run_fail *fail, int rank, uint32_t function, bool after);
/* Counts a call at which the rank is held, for every name of the call. */
void run_fail_count_call(struct run_fail *fail, int rank, int call, bool after);

/* Arms the calls that the scenario waits for. To be called before the rank goes on, so that it cannot miss one. */
void run_fail_arm(struct run_fail *fail, int rank);
/* Lets no more calls pass, and tells the interpreter how many have passed. To be called before the interpreter
 * steps. */
void run_fail_catch_up(struct run_fail *fail, int rank);
/* After a catch-up without a step of this rank's daemon: the remaining calls may pass as before. */
void run_fail_resume_passing(struct run_fail *fail, int rank);
/* Computes how many calls may pass from here on, and writes it on the desk. */
void run_fail_look_ahead(struct run_fail *fail, int rank);
/* Writes on the desk before which operation of its call the rank is held next. */
void run_fail_stop_inside(struct run_fail *fail, int rank);

/* As knell_fail_config.read; the driver is the struct run_fail. */
bool run_fail_read_variable(void *driver, uint32_t instance, uint32_t variable, int64_t *value);

/* ---- fail_act.c -------------------------------------------------------------------------------------------------- */

void run_fail_apply(struct run_fail *fail, int rank, const struct knell_fail_action *action);
void run_fail_release(struct run_fail *fail, int rank);

#endif
