/* discard.h: messages that nobody will receive any more. They are taken into memory of the layer and thrown away: so their
 * senders get their buffers back. */
#ifndef KNELL_MPI_ABANDON_DISCARD_H
#define KNELL_MPI_ABANDON_DISCARD_H

#include <mpi.h>
#include <stdbool.h>

/* Takes a matched message; `status` is that of the probe that matched it. Never blocks. */
void discard_message(MPI_Message *message, const MPI_Status *status);

/* Goes on with what is under way. True: something is. */
bool discard_turn(void);

#endif
