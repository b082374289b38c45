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

enum hints_uniform { HINTS_UNIFORM_LOCAL, HINTS_UNIFORM_CREATE, HINTS_UNIFORM_COLL };
enum hints_range { HINTS_RANGE_LOCAL, HINTS_RANGE_GROUP, HINTS_RANGE_UNIVERSE };

struct hints {
    enum hints_uniform uniform;
    enum hints_range range;
};

/* What `info` says; what it does not say, or says wrongly, stays as it is. */
void hints_read(MPI_Info info, struct hints *hints);

/* Deaths that are known count at once. */
struct comm;
void hints_set(struct comm *comm, const struct hints *hints);

/* Those of MPI_COMM_WORLD that `knell run --info` gives. */
void hints_learn(void);

#endif
