/* doubt.h: sends that the MPI below completes though nobody received them. A completion is no success (docs/mpi.md, rule 3)
 *
 * - of a send to a process into whose memory something was written when it had ended (far_memory.c);
 * - on a communicator on which somebody was asked to throw sends away (drain.h): one with the same tag may have gone the same way.
 *
 * Both come after a death or a revoke. Until then one load says that there is no doubt. */
#ifndef KNELL_MPI_WAIT_DOUBT_H
#define KNELL_MPI_WAIT_DOUBT_H

#include "mpi/comm/comm.h"

void knell__doubts_begin(void);
void knell__doubt_process(int process);
void knell__doubt_comm(struct knell__comm *comm);

extern _Atomic bool knell__doubts;
KNELL__RARE int knell__doubt_verdict(const struct knell__comm *comm, int peer);

/* The code of a send to `peer` that is complete now and was not when it was posted. */
static inline int knell__sent(const struct knell__comm *comm, int peer)
{
    if (KNELL__LIKELY(!atomic_load_explicit(&knell__doubts, memory_order_relaxed)))
        return MPI_SUCCESS;
    return knell__doubt_verdict(comm, peer);
}

#endif
