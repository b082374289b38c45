/* doubt.h: sends that the MPI below completes though nobody received them. A completion is no success (docs/design/mpi.md, rule 3)
 *
 * - of a send to a process into whose memory something was written when it had ended (remote_write.c);
 * - on a communicator on which somebody was asked to throw sends away (drain.h): one with the same tag may have gone the same way.
 *
 * Both come after a death or a revoke. Until then one load says that there is no doubt. */
#ifndef KNELL_MPI_WAIT_DOUBT_H
#define KNELL_MPI_WAIT_DOUBT_H

#include "mpi/comm/comm.h"

void doubt_begin(void);
void doubt_process(int process);
void doubt_comm(struct comm *comm);

extern _Atomic bool doubt_any;
RARE int doubt_verdict(const struct comm *comm, int peer);

/* The code of a send to `peer` that is complete now and was not when it was posted. */
static inline int doubt_sent(const struct comm *comm, int peer)
{
    if (LIKELY(!atomic_load_explicit(&doubt_any, memory_order_relaxed)))
        return MPI_SUCCESS;
    return doubt_verdict(comm, peer);
}

#endif
