/* copy.h: data from one datatype to another, within this process. Buffers may be MPI_BOTTOM. */
#ifndef KNELL_MPI_REQUEST_COPY_H
#define KNELL_MPI_REQUEST_COPY_H

#include <mpi.h>

/* What is longer than its place is cut off on Open MPI, MPI_ERR_TRUNCATE on MPICH. */
int copy_data(const void *from, int from_count, MPI_Datatype from_type, void *into, int into_count,
              MPI_Datatype into_type);

/* To and from bytes that travel as MPI_PACKED. `room` is what MPI_Pack_size says, or more; *used is set on success. */
int copy_pack(const void *from, int count, MPI_Datatype type, void *bytes, int room, int *used);
int copy_unpack(const void *bytes, int size, void *into, int count, MPI_Datatype type);

#endif
