/* supervise.h: what a rank tells the process that waits for it. */
#ifndef KNELL_MPI_REPORT_SUPERVISE_H
#define KNELL_MPI_REPORT_SUPERVISE_H

/* The MPI below is about to say goodbye to the launcher. */
void supervise_hear_goodbye(void);

#endif
