/* make.h: creation of communicators by agreement: what dup, split, create and shrink have in common. */
#ifndef KNELL_MPI_CREATE_MAKE_H
#define KNELL_MPI_CREATE_MAKE_H

#include "mpi/comm/comm.h"

/* A creation under way: dup, split, create, shrink. Blocking ones call advance until it is done. */
struct making;
enum making_kind { MAKING_CREATE, MAKING_SHRINK };

/* `group`: the processes of the new communicator, in its order, copied; NULL: all of the parent (shrink: the survivors). None: this
 * process is in none of the new ones, but agrees all the same. `handle` becomes that of the new one. `code`: what happened to this
 * member on the way here; if it failed, the creation fails at all: an error of its arguments is everybody's. */
struct making *making_start(struct comm *parent, enum making_kind kind, const struct comm_group *group, MPI_Comm handle,
                            int code);
/* An MPI code, with *done set: *made is the new communicator (NULL for no group), and the making is gone. */
int making_advance(struct making *making, bool *done, struct comm **made);
int making_finish(struct making *making, struct comm **made); /* blocking */
/* What the new one is to have; none, unless this is called right after the start. */
void making_hint(struct making *making, const struct hints *hints);
/* Its topology, held; none, unless this is called right after the start. */
void making_topology(struct making *making, struct topology *topology);
/* What a decided creation among the members of `comm` means, the same at all of them. */
struct side_ticket;
int making_verdict(const struct comm *comm, const struct side_ticket *ticket);
/* The same of any agreement of that kind: were all alive? */
int making_deaths(const struct comm *comm, const struct side_ticket *ticket);
/* Behind a request: *newcomm is set at once, and of use when it completes. */
int making_request(struct making *making, struct comm *parent, MPI_Comm *newcomm, MPI_Request *request);

#endif
