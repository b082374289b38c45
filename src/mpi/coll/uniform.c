/* uniform.c: collectives that return the same code at all members (the hint mpi_error_uniform = coll, comm_hints.h): one
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
void knell__coll_make_uniform(struct knell__coll *coll)
{
    struct knell__ticket *ticket = calloc(1, sizeof *ticket);
    if (!ticket)
        knell__die("out of memory");
    ticket->group = coll->comm->id;
    ticket->kind = KNELL_KIND_CREATE;
    ticket->fold = KNELL__FOLD_WORST;
    ticket->alone = coll->comm->size == 1;
    ticket->size = sizeof(int);
    knell__side_reserve(ticket);
    coll->ticket = ticket;
}

/* Codes of the MPI below mean something in one process only, classes in all. */
static void contribute(struct knell__coll *coll)
{
    int class = MPI_SUCCESS;
    if (coll->code != MPI_SUCCESS)
        knell__mpi_error_class(coll->code, &class);
    memcpy(coll->ticket->value, &class, sizeof class);
    knell__side_fill(coll->ticket);
}

static int decision(const struct knell__ticket *ticket)
{
    int class;
    memcpy(&class, ticket->value, sizeof class);
    return ticket->flags & KNELL_FLAG_REVOKED ? MPIX_ERR_REVOKED : class;
}

/* The death that others failed by is on its way here, if it is not known yet. */
bool knell__coll_agreed(struct knell__coll *coll)
{
    struct knell__ticket *ticket = coll->ticket;
    if (!ticket->filled)
        contribute(coll);
    if (!knell__side_decided(ticket))
        return false;
    int code = decision(ticket);
    if (code == MPIX_ERR_PROC_FAILED && !(knell__trouble(coll->comm) & KNELL__DEAD))
        return false;
    if (code != MPI_SUCCESS)
        atomic_fetch_or(&coll->comm->trouble, KNELL__SPOILED);
    coll->code = code;
    coll->ticket = NULL;
    free(ticket->dead);
    free(ticket);
    return true;
}
