/* neighbours.h: the processes of this host, by the numbers the kernel gives them. */
#ifndef KNELL_MPI_DETECTOR_NEIGHBOURS_H
#define KNELL_MPI_DETECTOR_NEIGHBOURS_H

#include <stdbool.h>
#include <sys/types.h>

/* Learns who they are. Collective; `look` as for native_await. */
void neighbours_learn(void (*look)(void));

/* Whether all processes of the job share their network interfaces. */
bool neighbours_share_network(void);

/* How many processes of the job are on this host. */
int neighbours_count(void);

int neighbours_first(void);
/* Whether those who share processors with this one are more than these processors. */
bool neighbours_crowd(void);
/* Whether they are in sessions of their own. */
bool neighbours_apart(void);

int neighbour_of(pid_t pid); /* its process; -1: none of the job */
/* 0: it is not on this host. */
pid_t neighbour_pid(int process);
/* Whether this process of the job is on this host and has not ended. */
bool neighbour_is_there(int process);
/* Whether a thread of it may still do something: a process that was killed is there for as long as its memory takes to be given back,
 * but has come to rest long before. */
bool neighbour_is_at_work(int process);

#endif
