/* crowd.h: the processes that share processors with this one. The processors of the host are not the question: a job may be confined to a
 * few of them, and one whose processes are bound to a processor each is not crowded, however many there are. */
#ifndef KNELL_RUNTIME_CROWD_H
#define KNELL_RUNTIME_CROWD_H

#include <sched.h>
#include <sys/types.h>

enum { KNELL__CROWD_SETS = 8 }; /* 8,192 processors, as many as the kernel knows of */

struct knell__crowd {
    int processes;                     /* of those added: who may run where this one may */
    cpu_set_t mine[KNELL__CROWD_SETS]; /* where this process may run, */
    cpu_set_t all[KNELL__CROWD_SETS];  /* and any of those */
};

void knell__crowd_begin(struct knell__crowd *crowd);
/* A process of this host; this one is to be added too. */
void knell__crowd_add(struct knell__crowd *crowd, pid_t pid);
/* How many they have in common; at least 1. */
int knell__crowd_processors(const struct knell__crowd *crowd);

#endif
