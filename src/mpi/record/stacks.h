/* stacks.h: where in the program calls come from: the tables of stacks and modules in the record (job/record.h). */
#ifndef KNELL_MPI_RECORD_STACKS_H
#define KNELL_MPI_RECORD_STACKS_H

#include "job/record.h"

#include <stdbool.h>

/* `whole`: all frames; otherwise only the call's own. */
void stacks_start(struct job_record_head *head, bool whole);

/* The number of the stack of the call that returns to `from`; NULL: unknown. A call from inside the MPI or the layer (Fortran,
 * MPI_Finalize) is looked for further up. */
uint32_t stacks_find(const void *from);

#endif
