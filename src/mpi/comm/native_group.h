/* native_group.h: groups as the MPI below knows them. */
#ifndef KNELL_MPI_COMM_NATIVE_GROUP_H
#define KNELL_MPI_COMM_NATIVE_GROUP_H

#include <mpi.h>

/* A native group of processes, and back. MPI_UNDEFINED for one that is not of the native world. First: make. */
void native_group_begin(void);
MPI_Group native_group_of(const int *process, int count);
int native_group_processes(MPI_Group group, int count, int *process);

#endif
