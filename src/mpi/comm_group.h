/* comm_group.h: what a communicator keeps of MPI_Comm_create_group. */
#ifndef KNELL_MPI_COMM_GROUP_H
#define KNELL_MPI_COMM_GROUP_H

#include "mpi/comm.h"

/* The communicator is gone, and what was counted of its groups. */
void knell__group_calls_forget(struct knell__comm *parent);

#endif
