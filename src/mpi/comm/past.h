/* past.h: the groups of communicators that are freed. */
#ifndef KNELL_MPI_COMM_PAST_H
#define KNELL_MPI_COMM_PAST_H

#include "mpi/comm/comm.h"

/* Takes over a communicator that is freed here, its slot too. */
void past_keep(struct comm *comm);

/* A creation in `parent` was agreed on: drops the groups that this shows to be freed everywhere. */
void past_drop(const struct comm *parent, const struct offer *agreed);

#endif
