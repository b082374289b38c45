/* under_way.h: nonblocking access to a file. */
#ifndef KNELL_MPI_FILE_UNDER_WAY_H
#define KNELL_MPI_FILE_UNDER_WAY_H

#include "mpi/comm/comm.h"

#include <mpi.h>

/* The native request becomes one of the layer's, whose errors are raised on `comm`. `wait`: it is over when this returns. */
int under_way(struct comm *comm, bool wait, MPI_Request *request);

#endif
