/* count: what has been sent by this process, since it started; see count.c. */
#ifndef KNELL_BENCH_MPI_COUNT_H
#define KNELL_BENCH_MPI_COUNT_H

extern _Atomic unsigned long count_messages;  /* to the MPI below */
extern _Atomic unsigned long count_datagrams; /* of the detector: agreements, deaths, acknowledgements */

#endif
