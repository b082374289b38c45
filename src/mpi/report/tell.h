/* tell.h: the rank's end of report.h. Without `knell run` nobody listens, and nothing here does anything. */
#ifndef KNELL_MPI_REPORT_TELL_H
#define KNELL_MPI_REPORT_TELL_H

#include "job/report.h"

#include <knell/types.h>

/* Is anybody there to tell? */
bool tell_is_heard(void);
void tell_report(struct job_report report);
void tell_word(enum job_word word, int64_t value);

/* Of the job; also before MPI_Init. -1: no launcher started this process. */
int tell_rank(void);

/* This rank's desk; NULL: none. */
struct job_desk *tell_desk(void);

#endif
