/* matching.h: the lock around what the layer matches itself: messages set aside and receives that wait for them (anytag.c), messages
 * that the program has matched and not received (probe.c). A program with one thread does without. */
#ifndef KNELL_MPI_P2P_MATCHING_H
#define KNELL_MPI_P2P_MATCHING_H

#include "mpi/base/layer.h"
#include "mpi/base/lock.h"

static inline void matching_enter(void)
{
    if (self.threads)
        lock_take(LOCK_MATCHING);
}

static inline void matching_leave(void)
{
    if (self.threads)
        lock_give(LOCK_MATCHING);
}

#endif
