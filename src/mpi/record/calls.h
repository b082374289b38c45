/* calls.h: the record of the program's MPI calls (job/record.h), for `knell run --calls`. Without it nothing here is called: attention
 * leads calls here. */
#ifndef KNELL_MPI_RECORD_CALLS_H
#define KNELL_MPI_RECORD_CALLS_H

#include "mpi/base/layer.h"

/* At the end of MPI_Init. */
void calls_start(void);

/* Around each call of the program; calls may be nested, by error handlers. `from`: where the wrapper returns to; NULL: unknown. */
void calls_begin(enum job_call call, const int64_t *arguments, unsigned count, const void *from);
void calls_end(int code);

#endif
