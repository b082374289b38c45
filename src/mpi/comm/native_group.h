/* native_group.h: groups as the MPI below knows them. */
#ifndef KNELL_MPI_COMM_NATIVE_GROUP_H
#define KNELL_MPI_COMM_NATIVE_GROUP_H

#include <mpi.h>

/* A native group of processes, and back. MPI_UNDEFINED for one that is not of the native world. First: make. */
void knell__groups_make(void);
MPI_Group knell__native_group(const int *process, int count);
int knell__native_group_processes(MPI_Group group, int count, int *process);

#endif
