/* stamped.h: receives on a communicator whose tags carry a stamp: the calls of p2p.c once they know. Some are matched by the
 * layer (anytag.h), the others natively. Not raised; statuses are native. */
#ifndef KNELL_MPI_P2P_STAMPED_H
#define KNELL_MPI_P2P_STAMPED_H

#include "mpi/p2p/anytag.h"

int stamped_recv(void *buf, int count, MPI_Datatype datatype, const struct p2p_end *from, struct comm *comm,
                 MPI_Status *status);
int stamped_irecv(void *buf, int count, MPI_Datatype datatype, const struct p2p_end *from, struct comm *comm,
                  MPI_Request *request);

/* Waits for a pick that has been posted. */
int pick_wait(struct pick *pick, MPI_Status *status);

#endif
