/* inside.h: faults in the middle of a call: before its J-th operation on the MPI below (docs/use/scenarios.md). Operations are counted by
 * each thread, from the entry of a call on. */
#ifndef KNELL_MPI_INJECT_INSIDE_H
#define KNELL_MPI_INJECT_INSIDE_H

#include "job/report.h"
#include "mpi/base/layer.h"

/* At MPI_Init, for a scenario or for who records calls: from now on operations are counted. Before that, counting costs nothing. */
void inside_start(void);

/* This thread is to be held before that operation of the call it is in; operation 0: it is not. */
void inside_wait_for(enum job_call call, const struct job_desk_stop *stop);

/* The call is through; says so if the thread did not come to the operation. */
void inside_end(void);

#endif
