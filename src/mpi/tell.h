/* tell.h: the rank's end of report.h. Without `knell run` nobody listens, and nothing here does anything. */
#ifndef KNELL_MPI_TELL_H
#define KNELL_MPI_TELL_H

#include "job/report.h"

#include <knell/types.h>
#include <mpi.h>

/* Is anybody there to tell? */
bool knell__is_heard(void);
void knell__announce(struct job_report report);
void knell__announce_word(enum job_word word, int64_t value);

/* For the wrappers of rare calls: when one began (0: nobody listens), and that it is through. */
int64_t knell__tell_begin(void);
void knell__tell_did(int call, MPI_Comm comm, int64_t began, int code);

/* This rank's desk; NULL: none. */
struct job_desk *knell__desk(void);

#endif
