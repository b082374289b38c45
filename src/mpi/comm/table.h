/* table.h: from a handle to its communicator. Writers hold comm.c's lock; readers need none (comm_find, comm.h). */
#ifndef KNELL_MPI_COMM_TABLE_H
#define KNELL_MPI_COMM_TABLE_H

#include "mpi/comm/comm.h"

void table_add(MPI_Comm handle, struct comm *comm);
void table_remove(MPI_Comm handle, const struct comm *comm);

#endif
