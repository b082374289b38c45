/* run_fail.h: what the files of a scenario on MPI ranks share.
 *
 *      run_fail.c      its life, and what happens to ranks
 *      run_fail_arm.c  what is on the desks: which calls are armed, how many of them pass, variables
 *      run_fail_act.c  what the scenario does to ranks */
#ifndef KNELL_CLI_RUN_FAIL_H
#define KNELL_CLI_RUN_FAIL_H

#include "cli/run/run.h"

/* One rank as the scenario has it. */
struct run_fail_rank {
    uint32_t instance;
    bool held;               /* it waits for an answer */
    bool before;             /* and that before a call */
    struct run_fail_hold at; /* where it was held last */
    uint32_t passing;        /* so many calls of `probe` may pass unseen: what desk->left was set to */
    struct knell_fail_probe probe;
    uint32_t rest;   /* of these, when it was caught up with */
    bool look_again; /* at the end of the steps that are due: there was one for it */
};

struct run_fail {
    struct run_job *job;
    struct scenario scenario;
    void *memory;
    struct knell_fail_world *world;
    int *rank_of;               /* by instance; -1: none */
    struct run_fail_rank *slot; /* by rank */
    bool *means;                /* by function of the scenario and call */
    bool stepping;              /* through messages and timers that are due */
    uint64_t *calls;            /* by rank, function, before and after: how often it was heard of */
    uint64_t faults;            /* that struck */
    int64_t due;                /* the last time it waited for; 0: none */
};

/* ---- run_fail_arm.c ------------------------------------------------------------------------------------------------------ */

/* Which name means which calls: a table to be freed; NULL: no memory. */
bool *run_fail_meanings(const struct knell_fail_program *program);
/* By which of the scenario's names it waits for this call; KNELL_FAIL_NO_SUBJECT: by none. */
uint32_t run_fail_function_of(const struct run_fail *fail, int rank, int call, enum knell_fail_event_type type);

/* The rank is held at a call, which counts for every name of it. */
void run_fail_count_call(struct run_fail *fail, int rank, int call, bool after);

/* Before the rank goes on, so that it cannot run past one. */
void run_fail_arm(struct run_fail *fail, int rank);
/* The rank is held at the next call that is armed, and the world knows of those that passed: before it steps. */
void run_fail_catch_up(struct run_fail *fail, int rank);
/* After that, when there was no step of this rank's daemon: the rest of them may pass as before. */
void run_fail_resume_passing(struct run_fail *fail, int rank);
/* How many may pass from here on. */
void run_fail_look_ahead(struct run_fail *fail, int rank);

/* As knell_fail_config.read; the driver is the struct run_fail. */
bool run_fail_read_variable(void *driver, uint32_t instance, uint32_t variable, int64_t *value);

/* ---- run_fail_act.c ------------------------------------------------------------------------------------------------------ */

void run_fail_apply(struct run_fail *fail, int rank, const struct knell_fail_action *action);
void run_fail_release(struct run_fail *fail, int rank);

#endif
