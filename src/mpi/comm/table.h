/* table.h: from a handle to its communicator. Writers hold comm.c's lock; readers need none (knell__comm_find, comm.h). */
#ifndef KNELL_MPI_COMM_TABLE_H
#define KNELL_MPI_COMM_TABLE_H

#include "mpi/comm/comm.h"

void knell__table_add(MPI_Comm handle, struct knell__comm *comm);
void knell__table_remove(MPI_Comm handle, const struct knell__comm *comm);

#endif
