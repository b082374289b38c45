/* neighbours.h: the processes of this host, by the numbers the kernel gives them. */
#ifndef KNELL_MPI_NEIGHBOURS_H
#define KNELL_MPI_NEIGHBOURS_H

#include <mpi.h>
#include <stdbool.h>
#include <sys/types.h>

/* Learns who they are; `host` has the processes of this host. Collective. */
void knell__neighbours_learn(MPI_Comm host);

int knell__neighbours_first(void);
/* Whether those who share processors with this one are more than these processors. */
bool knell__neighbours_crowd(void);
/* Whether they are in sessions of their own. */
bool knell__neighbours_apart(void);

bool knell__is_neighbour(pid_t pid);
/* Whether this process of the job is on this host and has not ended. */
bool knell__neighbour_is_there(int process);

#endif
