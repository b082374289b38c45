/* ops: what is measured: one call, or one exchange of several, through either table of calls. */
#ifndef KNELL_BENCH_MPI_OPS_H
#define KNELL_BENCH_MPI_OPS_H

#include "calls.h"

enum { OPS_LARGEST = 1 << 20, OPS_RANKS = 64 };

struct op {
    const char *name, *group; /* group: p2p, rate, coll, icoll, thesis */
    void (*run)(const struct calls *calls, int bytes, int turn);
    int largest; /* bytes, from 8 on; 0: has no data */
    int times; /* so often in a row, as its author did it, or where a first guess is far off; 0: as often as fills the time */
};
extern const struct op ops[]; /* up to one without a name */

extern int ops_rank, ops_ranks;

/* After MPI_Init. */
void ops_begin(void);
/* Before an operation runs with so many bytes per member. */
void ops_prepare(int bytes);

#endif
