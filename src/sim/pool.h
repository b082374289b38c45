/* Independent runs over threads. Runs are claimed in order and store their results by run index, so that what comes
 * out does not depend on the number of threads; nor does the error: of all runs that fail, the one with the lowest
 * index is reported. */
#ifndef KNELL_SIM_POOL_H
#define KNELL_SIM_POOL_H

#include <stdint.h>

struct knell_pool_job {
    uint64_t runs;
    unsigned threads; /* at least 1; more than runs are not started */
    void *context;    /* handed to all callbacks; shared by the threads */

    /* Run number `run`, 0 or a negative error. `worker` is what worker_begin gave this thread. */
    int (*run)(void *context, void *worker, uint64_t run);

    /* Scratch memory of one thread, for all its runs; both or neither. NULL from begin is an error (no memory). */
    void *(*worker_begin)(void *context);
    void (*worker_end)(void *worker);

    /* After each run, from any thread; `done` counts finished runs. May be NULL. */
    void (*progress)(void *progress_context, uint64_t done);
    void *progress_context;
};

enum {
    KNELL_POOL_NO_MEMORY = -1000, /* worker_begin gave NULL */
};

/* 0, or the error of the first run (by index) that failed, with its index in *failed_run (may be NULL); runs not yet
 * begun by then are not begun. The calling thread is one of the workers. */
int knell_pool_run(const struct knell_pool_job *job, uint64_t *failed_run);

/* The processors this process may use. */
unsigned knell_pool_cores(void);

#endif
