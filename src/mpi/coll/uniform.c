/* uniform.c: collectives that return the same code at all members (the hint mpi_error_uniform = coll, comm/hints.h): one
 * agreement at the end of each. Every member that called takes part, also one that failed at entry.
 *
 * A collective takes its turn in the queue of agreements when it begins, since nonblocking ones end in any order: so its agreement is the
 * same one at all members. The agreement is of the kind that ends when the communicator is revoked: a member that has left for a
 * shrink would never come. */
#include "mpi/base/gen/own.h"
#include "mpi/coll/coll.h"
#include "mpi/detector/side.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

/* Not `blocking`: a member that revokes the communicator is not inside the call, and may compute. */
void coll_make_uniform(struct coll *coll)
{
    struct side_ticket *ticket = calloc(1, sizeof *ticket);
    if (!ticket)
        layer_die("out of memory");
    ticket->group = coll->comm->id;
    ticket->kind = KNELL_KIND_CREATE;
    ticket->fold = SIDE_FOLD_WORST;
    ticket->alone = coll->comm->members == 1;
    ticket->size = sizeof(int);
    side_reserve(ticket);
    coll->ticket = ticket;
}

/* Codes of the MPI below mean something in one process only, classes in all. */
static void contribute(struct coll *coll)
{
    int class = MPI_SUCCESS;
    if (coll->code != MPI_SUCCESS)
        mpi_error_class(coll->code, &class);
    memcpy(coll->ticket->value, &class, sizeof class);
    side_fill(coll->ticket);
}

static int decision(const struct side_ticket *ticket)
{
    int class;
    memcpy(&class, ticket->value, sizeof class);
    return ticket->flags & KNELL_FLAG_REVOKED ? MPIX_ERR_REVOKED : class;
}

/* The death that others failed by is on its way here, if it is not known yet. */
bool coll_agreed(struct coll *coll)
{
    struct side_ticket *ticket = coll->ticket;
    if (!ticket->filled)
        contribute(coll);
    if (!side_decided(ticket))
        return false;
    int code = decision(ticket);
    if (code == MPIX_ERR_PROC_FAILED && !(comm_trouble(coll->comm) & COMM_DEAD))
        return false;
    if (code != MPI_SUCCESS)
        atomic_fetch_or(&coll->comm->trouble, COMM_SPOILED);
    coll->code = code;
    coll->ticket = NULL;
    free(ticket->dead);
    free(ticket);
    return true;
}
