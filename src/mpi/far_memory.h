/* far_memory.h: memory of other processes of this host, into which the MPI below may write. */
#ifndef KNELL_MPI_FAR_MEMORY_H
#define KNELL_MPI_FAR_MEMORY_H

#include <mpi.h>

/* Learns who they are; `host` has the processes of this host. Collective. */
void knell__neighbours_learn(MPI_Comm host);

#endif
