/* calls.h: the MPI calls that the layer knows, by number and name; the numbers are those of src/mpi/table.txt. */
#ifndef KNELL_JOB_CALLS_H
#define KNELL_JOB_CALLS_H

#include "job/gen/calls.h"

#include <stdbool.h>

/* "a call" for a number that no call has. */
const char *job_call_name(int call);
/* The other name of a call ("MPI_Comm_revoke" of MPIX_Comm_revoke), or NULL. */
const char *job_call_alias(int call);
/* By either name; -1: no call has it. */
int job_call_named(const char *name);

/* The MPI's name of a call that the layer does not carry, in whatever language it is called: "MPI_Comm_spawn" for MPI_Comm_spawn,
 * PMPI_Comm_spawn, mpi_comm_spawn_, mpi_comm_spawn_f08_. NULL: it is carried, or no call of MPI. */
const char *job_call_not_carried(const char *symbol);

/* Is it one of the calls with which a program recovers from a death (MPIX_...), in whatever language? */
bool job_call_recovers(const char *symbol);

/* What is known of a call's parameters, which count from 1 on. */
struct job_call_shape {
    unsigned char comm; /* the communicator; 0: none */
    unsigned char peer; /* destination, source or root; 0: none */
    bool communicates;  /* it can wait for another process, or another for it */
};
struct job_call_shape job_call_shape(int call);

#endif
