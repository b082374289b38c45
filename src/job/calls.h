/* calls.h: the MPI calls that the layer knows, by number and name; the numbers are those of src/mpi/table.txt. */
#ifndef KNELL_JOB_CALLS_H
#define KNELL_JOB_CALLS_H

#include "job/gen/calls.h"

/* "a call" for a number that no call has. */
const char *job_call_name(int call);
/* The other name of a call ("MPI_Comm_revoke" of MPIX_Comm_revoke), or NULL. */
const char *job_call_alias(int call);
/* By either name; -1: no call has it. */
int job_call_named(const char *name);

#endif
