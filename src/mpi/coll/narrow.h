/* narrow.h: arrays of MPI 4's large counts and displacements as arrays of int, in which the layer counts. */
#ifndef KNELL_MPI_COLL_NARROW_H
#define KNELL_MPI_COLL_NARROW_H

#include "mpi/coll/coll.h"
#include "mpi/error/error.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

/* Those of all ranks. Of ranks for which they mean nothing there are none. */
struct narrow {
    int *counts, *displs;
    bool fits;
};

static inline bool narrow_fits(long long value)
{
    return INT_MIN <= value && value <= INT_MAX;
}

/* `displs` NULL: zeros. */
static inline struct narrow narrow_of(const MPI_Count *counts, const MPI_Aint *displs, int size)
{
    struct narrow made = {malloc(((size_t)size + 1) * sizeof(int)), malloc(((size_t)size + 1) * sizeof(int)), true};
    if (!made.counts || !made.displs)
        layer_die("out of memory");
    for (int i = 0; i < size; i++) {
        made.fits = made.fits && narrow_fits(counts[i]) && (!displs || narrow_fits(displs[i]));
        made.counts[i] = (int)counts[i];
        made.displs[i] = displs ? (int)displs[i] : 0;
    }
    return made;
}

/* They do not fit. */
static inline int narrow_refuse(MPI_Comm comm, MPI_Request *request)
{
    coll_is_init(); /* it will not be */
    return error_raise_large(comm, request);
}

static inline int narrow_release(struct narrow *made, int code)
{
    free(made->counts);
    free(made->displs);
    return code;
}

#endif
