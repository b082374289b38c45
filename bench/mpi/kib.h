/* kib: memory of a rank. */
#ifndef KNELL_BENCH_MPI_KIB_H
#define KNELL_BENCH_MPI_KIB_H

/* What this process needs now, with all that stands before it: supervisor and front. Of what it shares with others, its share. */
long kib_of_rank(void);

#endif
