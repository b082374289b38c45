/* complete.h: what the completion calls have in common. */
#ifndef KNELL_MPI_COMPLETE_COMPLETE_H
#define KNELL_MPI_COMPLETE_COMPLETE_H

#include "mpi/error/error.h"
#include "mpi/wait/wait.h"

/* What the failures known now mean for a request that is not complete: MPI_SUCCESS, or an error. PENDING: it stays. */
int complete_trouble(const struct request *known);

/* The native request has completed with `status`: its code and status as the program knows them; forgotten. Returns whom to
 * raise an error on: NULL when the program has freed that communicator meanwhile. */
struct comm *complete_finish(const struct request *known, MPI_Status *status, int *code);
/* Forgets it; returns the same. */
struct comm *complete_end(const struct request *known);

/* Raises, unless there is nobody to raise it on. */
static inline int error_raise_on(struct comm *comm, int code)
{
    return comm ? error_raise(comm, code) : code;
}

/* Takes a failed request back from the MPI below. True: it had completed after all. */
bool complete_give_up(const struct request *known, int code, MPI_Request *request, MPI_Status *status);

#endif
