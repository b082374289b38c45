/* close.h: MPICH's connections are closed by all processes together. */
#ifndef KNELL_MPI_EDGE_CLOSE_H
#define KNELL_MPI_EDGE_CLOSE_H

#include <stdbool.h>

/* Between the two calls, around the native MPI_Init, the connections are learned. */
void close_learn(bool on);
/* The native MPI_Finalize that this thread calls next waits, when its connections are closed, until they are everywhere. */
void close_begin(void);
/* It is so far; the epoch is raised. Never, where the MPI below closes them otherwise. */
bool close_is_done_here(void);
void close_is_done_everywhere(void);

#endif
