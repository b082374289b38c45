/* tell.h: the rank's end of report.h. Without `knell run` nobody listens, and nothing here does anything. */
#ifndef KNELL_MPI_REPORT_TELL_H
#define KNELL_MPI_REPORT_TELL_H

#include "job/report.h"

#include <knell/types.h>

/* Is anybody there to tell? */
bool knell__is_heard(void);
void knell__announce(struct job_report report);
void knell__announce_word(enum job_word word, int64_t value);

/* This rank's desk; NULL: none. */
struct job_desk *knell__desk(void);

#endif
