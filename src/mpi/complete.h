/* complete.h: what the completion calls have in common. */
#ifndef KNELL_MPI_COMPLETE_H
#define KNELL_MPI_COMPLETE_H

#include "mpi/wait.h"

/* What the failures known now mean for a request that is not complete: MPI_SUCCESS, or an error. PENDING: it stays. */
int knell__request_trouble(const struct knell__request *known);

/* The native request `handle` has completed with `status`: its code and status as the program knows them; forgotten. */
int knell__request_finish(MPI_Request handle, MPI_Status *status, int native_code, struct knell__comm **comm);

/* Takes a failed request back from the MPI below. True: it had completed after all. */
bool knell__request_give_up(const struct knell__request *known, int code, MPI_Request *request, MPI_Status *status);

#endif
