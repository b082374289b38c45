/* layout.h: how datatypes lie in memory. What is asked of predefined ones is remembered. */
#ifndef KNELL_MPI_COLL_LAYOUT_H
#define KNELL_MPI_COLL_LAYOUT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct coll_layout {
    MPI_Aint extent, true_low, true_extent;
    size_t size;
    bool named;   /* the MPI's own */
    bool gapless; /* elements are bytes in a row, from the address given, in whatever order */
};
/* All zero for MPI_DATATYPE_NULL: whoever sends or copies it says so. */
struct coll_layout coll_layout_of(MPI_Datatype type);
/* The same, where one number is wanted. */
MPI_Aint coll_extent_of(MPI_Datatype type);
size_t coll_size_of(MPI_Datatype type);

/* Can elements be copied as bytes? They are gapless, and in the order in which they travel. False also where that takes long to find out. */
bool coll_is_dense(MPI_Datatype type, const struct coll_layout *layout);

/* Is it the MPI's own? */
bool coll_is_named(MPI_Datatype type);

#endif
