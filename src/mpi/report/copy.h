/* copy.h: what a rank writes to its standard output and standard error, copied by its supervisor to the launcher and into the rank's log
 * (`knell run --record`). Without KNELL_RECORD nothing here does anything. */
#ifndef KNELL_MPI_REPORT_COPY_H
#define KNELL_MPI_REPORT_COPY_H

#include <sys/types.h>

/* Before the fork; then in one of the two processes each. */
void copy_prepare(void);
void copy_become_rank(void);
void copy_become_supervisor(void);

/* Returns when the rank has ended, and what it wrote is in the log. */
void copy_until_end(pid_t rank);
/* The launcher gets the rest, if it reads. */
void copy_rest(void);

#endif
