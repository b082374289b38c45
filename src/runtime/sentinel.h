/* sentinel.h: a second thread that sleeps until the kernel or a neighbour has news of a death.
 *
 * A pidfd tells that a process has ended when its memory has been given back, which takes a tenth of a millisecond for each
 * megabyte. Long before, the kernel goes through the locks the process held: a robust futex is marked and its waiter woken.
 * So the sentinel holds such a lock in the process's line of the board, and waits for that of the process it watches. It
 * sees the end of whatever has threads: a kill, a crash, exit without a farewell, exec.
 *
 * It also waits for the bell (news.h). Both are words of memory, which the detector's thread cannot wait for beside its
 * sockets.
 *
 * Not every kernel can do it (futex_waitv came with Linux 5.16); then pidfds and datagrams remain. */
#ifndef KNELL_RUNTIME_SENTINEL_H
#define KNELL_RUNTIME_SENTINEL_H

#include "runtime/board.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>

/* Called in the sentinel's thread, without any lock. */
struct knell__sentinel_calls {
    void (*on_bell)(void *context);
    void (*on_end)(void *context, knell_rank rank); /* once for each that ended while it was watched */
    void *context;
};

/* All zero: none. */
struct knell__sentinel {
    const struct knell__board *board;
    _Atomic uint32_t *bell;
    struct knell__sentinel_calls call;
    knell_rank self;
    pthread_t thread;
    struct robust_list_head held;
    _Atomic uint32_t order; /* changes with each of the two below */
    _Atomic knell_rank watched;
    _Atomic bool ending;
    bool ordinary, running;
};

/* Whether this kernel has what it takes. */
bool knell__sentinel_can(void);

/* Not started when it cannot be: there are slower ways to know. `ordinary`: see thread.h. */
void knell__sentinel_start(struct knell__sentinel *sentinel, const struct knell__board *board, _Atomic uint32_t *bell,
                           knell_rank self, bool ordinary, const struct knell__sentinel_calls *calls);

/* Watches `rank` from now on; KNELL_NOBODY: nobody. */
void knell__sentinel_watch(struct knell__sentinel *sentinel, knell_rank rank);

/* Lets go of its lock, which says: left, not ended. */
void knell__sentinel_stop(struct knell__sentinel *sentinel);

#endif
