/* stamped.h: receives on a communicator whose tags carry a stamp: the calls of p2p.c once they know. Some are matched by the
 * layer (anytag.h), the others natively. Not raised; statuses are native. */
#ifndef KNELL_MPI_P2P_STAMPED_H
#define KNELL_MPI_P2P_STAMPED_H

#include "mpi/p2p/anytag.h"

int knell__stamped_recv(void *buf, int count, MPI_Datatype datatype, const struct knell__end *from,
                        struct knell__comm *comm, MPI_Status *status);
int knell__stamped_irecv(void *buf, int count, MPI_Datatype datatype, const struct knell__end *from,
                         struct knell__comm *comm, MPI_Request *request);

/* Waits for a pick that has been posted. */
int knell__pick_wait(struct knell__pick *pick, MPI_Status *status);

#endif
