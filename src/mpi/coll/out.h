/* out.h: which members are out of which collectives (docs/design/mpi.md, "The life of a failure").
 *
 * A member that gives a collective up because of a death tells those with whom it has messages to exchange: they wait in vain. The
 * notice names the dead process, and counts only when that death is known here as well: so nobody returns MPIX_ERR_PROC_FAILED
 * without a failed process to show. It also says from which collective on the member takes part in none of this communicator, but for
 * persistent ones: they have no order, and each is told of. */
#ifndef KNELL_MPI_COLL_OUT_H
#define KNELL_MPI_COLL_OUT_H

#include "mpi/abandon/notice.h"
#include "mpi/comm/comm.h"

/* The rank `to` of the communicator shall know that this member is out. It is told once of what it is told. */
void out_tell(struct comm *comm, int tag, uint32_t sequence, int to);

void out_heard(int source, const struct notice *notice);

/* Has `process` said that it is out of this collective, because of a death that is known here? */
bool out_is(const struct comm *comm, int process, int tag, uint32_t sequence);

/* May a message with this tag on the wire be thrown away when its sender asks for it? */
bool out_may_discard(int tag);

/* The communicator is gone. */
void out_forget(const struct comm *comm);

#endif
