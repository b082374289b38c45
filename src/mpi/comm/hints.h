/* hints.h: the hints (MPI_Info) of communicators that the layer knows itself. Proposed for the standard with user-level failure
 * mitigation:
 *
 *      mpi_error_uniform = local    each member has its own code (default)
 *                          create   calls that create communicators return the same code at all members: they always do here
 *                          coll     every collective does
 *      mpi_error_range   = local    errors are those of the operations that a death concerns (default)
 *                          group    a death in the group of the communicator revokes it
 *                          universe a death anywhere in the job does */
#ifndef KNELL_MPI_COMM_HINTS_H
#define KNELL_MPI_COMM_HINTS_H

#include <mpi.h>

enum knell__uniform { KNELL__UNIFORM_LOCAL, KNELL__UNIFORM_CREATE, KNELL__UNIFORM_COLL };
enum knell__range { KNELL__RANGE_LOCAL, KNELL__RANGE_GROUP, KNELL__RANGE_UNIVERSE };

struct knell__hints {
    enum knell__uniform uniform;
    enum knell__range range;
};

/* What `info` says; what it does not say, or says wrongly, stays as it is. */
void knell__hints_read(MPI_Info info, struct knell__hints *hints);

/* Deaths that are known count at once. */
struct knell__comm;
void knell__hints_set(struct knell__comm *comm, const struct knell__hints *hints);

/* Those of MPI_COMM_WORLD that `knell run --info` gives. */
void knell__hints_learn(void);

#endif
