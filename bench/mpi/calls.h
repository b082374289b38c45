/* calls: the layer's calls and those of the MPI below, side by side in one process. */
#ifndef KNELL_BENCH_MPI_CALLS_H
#define KNELL_BENCH_MPI_CALLS_H

#include <mpi.h>

/* clang-format lays out this list anew each time. */
/* clang-format off */
#define CALLS(X)                                                                                               \
    X(Send) X(Recv) X(Isend) X(Irecv) X(Wait) X(Waitall) X(Sendrecv) X(Barrier) X(Bcast) X(Reduce)             \
    X(Allreduce) X(Reduce_scatter) X(Reduce_scatter_block) X(Scan) X(Exscan) X(Gather) X(Gatherv) X(Scatter)   \
    X(Scatterv) X(Allgather) X(Allgatherv) X(Alltoall) X(Alltoallv) X(Alltoallw) X(Ibarrier) X(Ibcast)         \
    X(Ireduce) X(Iallreduce) X(Ireduce_scatter) X(Ireduce_scatter_block) X(Iscan) X(Iexscan) X(Igather)        \
    X(Igatherv) X(Iscatter) X(Iscatterv) X(Iallgather) X(Iallgatherv) X(Ialltoall) X(Ialltoallv) X(Ialltoallw)
/* clang-format on */

struct calls {
#define CALL(name) __typeof__(&MPI_##name) name;
    CALLS(CALL)
#undef CALL
};

extern struct calls native;      /* after calls_find */
extern const struct calls layer; /* those that are linked */

/* Ends the program when the MPI below is not found. */
void calls_find(void);

#endif
