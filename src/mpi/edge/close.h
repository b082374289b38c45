/* close.h: MPICH's connections are closed by all processes together. */
#ifndef KNELL_MPI_EDGE_CLOSE_H
#define KNELL_MPI_EDGE_CLOSE_H

#include <stdbool.h>

/* Between the two calls, around the native MPI_Init, the connections are learned. */
void knell__native_learn_connections(bool on);
/* The native MPI_Finalize that this thread calls next waits, when its connections are closed, until they are everywhere. */
void knell__native_close_together(void);
/* It is so far; the epoch is raised. Never, where the MPI below closes them otherwise. */
bool knell__native_closed_here(void);
void knell__native_closed_everywhere(void);

#endif
