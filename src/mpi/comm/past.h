/* past.h: the groups of communicators that are freed. */
#ifndef KNELL_MPI_COMM_PAST_H
#define KNELL_MPI_COMM_PAST_H

#include "mpi/comm/comm.h"

/* Takes over a communicator that is freed here, its slot too. */
void knell__past_keep(struct knell__comm *comm);

/* A creation in `parent` was agreed on: drops the groups that this shows to be freed everywhere. */
void knell__past_drop(const struct knell__comm *parent, const struct knell__offer *agreed);

#endif
