/* tell.h: the rank's end of job/report.h. Without a supervisor that is connected to `knell run` nobody listens, and nothing here does
 * anything. */
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

/* This rank's desk; NULL: nobody is there to tell. */
struct job_desk *tell_desk(void);

/* A note on the desk: the program has made one of the calls for recovery. */
void tell_recovers(void);
/* The same: a collective failed by a death, and the program's error handler came back. */
void tell_ignored(void);

/* The same: it learns of a death, of which a report follows. */
void tell_learns(void);

/* Deaths that this rank is told of (struct job_death), one a read; -1: there is one host, and its kernel knows. */
int tell_open_deaths(void);

/* An empty file for the record of calls, which the supervisor keeps; -1: nobody wants one. */
int tell_open_calls(void);

/* To the supervisor, with or without `knell run`: the MPI below is about to say goodbye to the launcher. */
void tell_goodbye(void);

#endif
