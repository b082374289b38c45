/* buffered.h: sends by MPI_Bsend and MPI_Ibsend.
 *
 * The MPI below does not buffer for the program: its MPI_Buffer_detach waits for the receivers, and cannot be left when one of
 * them dies. A message is packed into memory of the layer and sent from there. What the program attached is only counted: so much
 * may be under way. What is given up (its receiver is dead, its communicator revoked) does not count any more, and nobody waits
 * for it. */
#ifndef KNELL_MPI_P2P_BUFFERED_H
#define KNELL_MPI_P2P_BUFFERED_H

#include "mpi/comm/comm.h"

#include <stdbool.h>

/* MPI_Ibsend; raised. */
int buffered_ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, struct comm *comm,
                    MPI_Request *request);

/* Goes on with what is under way. True: a process that lives has something to take yet: of what is not given up, or of what is. */
bool buffered_turn(bool given_up);

#endif
