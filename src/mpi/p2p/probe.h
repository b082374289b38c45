/* probe.h: messages that the program has matched and not received. */
#ifndef KNELL_MPI_P2P_PROBE_H
#define KNELL_MPI_P2P_PROBE_H

#include <mpi.h>

/* What the program has matched (MPI_Mprobe) and not received, from this sender with this native tag. */
void probe_discard(int source, int tag, MPI_Comm context);

#endif
