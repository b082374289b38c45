/* kept.h: datatypes and operations that the program frees while nonblocking collectives still use them: MPI_Type_free and MPI_Op_free
 * keep them until none is under way. Those of persistent collectives are kept for as long as these exist. */
#ifndef KNELL_MPI_REQUEST_KEPT_H
#define KNELL_MPI_REQUEST_KEPT_H

#include <mpi.h>
#include <stdbool.h>

/* Is it the program's, and not one of the MPI's own? */
bool kept_can_be_freed(MPI_Datatype type);

/* A nonblocking collective begins, and is over. */
void kept_begin(void);
void kept_end(void);

/* A persistent collective: which are its own. All others the program may free: it may exist as long as the program runs. */
struct kept_user {
    struct kept_user *next;
    bool (*uses_type)(const struct kept_user *user, MPI_Datatype type);
    bool (*uses_op)(const struct kept_user *user, MPI_Op op);
};
void kept_use(struct kept_user *user);
void kept_use_no_more(struct kept_user *user);

/* Frees what nobody uses any more. Not inside a task, nor with a lock: attributes' delete functions run here, and may call MPI. */
void kept_free(void);

#endif
