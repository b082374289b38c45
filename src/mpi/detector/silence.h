/* silence.h: when a process that is dead writes nothing any more into the memory of this one.
 *
 * The detector knows of a kill before the kernel is through with the process: one of its threads may be in the middle of a system
 * call that writes here (UCX writes large messages into the receiver's memory). And what it had sent over a connection may lie in the
 * kernel, to be read by the MPI below, piece by piece, into the buffer of a receive that it matched. */
#ifndef KNELL_MPI_DETECTOR_SILENCE_H
#define KNELL_MPI_DETECTOR_SILENCE_H

#include <stdbool.h>

void silence_begin(void);

/* Of one that is dead, and no ghost. False: it has not come to rest yet, ask again. The first time that it is true, all that it had sent
 * has been read before: that takes milliseconds. */
bool silence_of(int process);

/* Of a ghost: it did not serve in time, since it computes, and is not waited for again. */
void silence_of_ghost(int process);
bool silence_is_of_ghost(int process);

#endif
