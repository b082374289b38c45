/* groups.h: counts the groups that the program makes and frees, while calls are recorded. The layer keeps no table of groups: they are
 * the MPI's own. */
#ifndef KNELL_MPI_RECORD_GROUPS_H
#define KNELL_MPI_RECORD_GROUPS_H

#include "mpi/base/layer.h"

/* Around a call; `code`: what it gave. */
void groups_begin(enum job_call call, const int64_t *arguments, unsigned count);
void groups_end(int code);

int groups_alive(void);

#endif
