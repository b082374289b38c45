/* complete.h: what the completion calls have in common. */
#ifndef KNELL_MPI_COMPLETE_COMPLETE_H
#define KNELL_MPI_COMPLETE_COMPLETE_H

#include "mpi/error/error.h"
#include "mpi/wait/wait.h"

/* What the failures known now mean for a request that is not complete: MPI_SUCCESS, or an error. PENDING: it stays. */
int knell__request_trouble(const struct knell__request *known);

/* The native request has completed with `status`: its code and status as the program knows them; forgotten. Returns whom to
 * raise an error on: NULL when the program has freed that communicator meanwhile. */
struct knell__comm *knell__request_finish(const struct knell__request *known, MPI_Status *status, int *code);
/* Forgets it; returns the same. */
struct knell__comm *knell__request_end(const struct knell__request *known);

/* Raises, unless there is nobody to raise it on. */
static inline int knell__raise_on(struct knell__comm *comm, int code)
{
    return comm ? knell__raise(comm, code) : code;
}

/* Takes a failed request back from the MPI below. True: it had completed after all. */
bool knell__request_give_up(const struct knell__request *known, int code, MPI_Request *request, MPI_Status *status);

#endif
