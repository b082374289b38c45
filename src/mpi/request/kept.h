/* kept.h: datatypes and operations that the program frees while nonblocking collectives still use them: MPI_Type_free and MPI_Op_free
 * keep them until none is under way. */
#ifndef KNELL_MPI_REQUEST_KEPT_H
#define KNELL_MPI_REQUEST_KEPT_H

#include <mpi.h>
#include <stdbool.h>

/* Is it the program's, and not one of the MPI's own? */
bool kept_can_be_freed(MPI_Datatype type);

/* A nonblocking collective begins, and is over. */
void kept_begin(void);
void kept_end(void);

/* Frees what nobody uses any more. Not inside a task, nor with a lock: attributes' delete functions run here, and may call MPI. */
void kept_free(void);

#endif
