/* discard.h: messages that nobody will receive any more. They are taken into memory of the layer and thrown away: so their
 * senders get their buffers back. */
#ifndef KNELL_MPI_DISCARD_H
#define KNELL_MPI_DISCARD_H

#include <mpi.h>
#include <stdbool.h>

/* Takes a matched message; `status` is that of the probe that matched it. Never blocks. */
void knell__discard(MPI_Message *message, const MPI_Status *status);

/* What the program has matched (MPI_Mprobe) and not received, from this sender with this native tag (probe.c). */
void knell__matched_discard(int source, int tag, MPI_Comm context);

/* Goes on with what is under way. True: something is. */
bool knell__discard_turn(void);

#endif
