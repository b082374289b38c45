/* make.h: creation of communicators by agreement: what dup, split, create and shrink have in common. */
#ifndef KNELL_MPI_CREATE_MAKE_H
#define KNELL_MPI_CREATE_MAKE_H

#include "mpi/comm/comm.h"

/* A creation under way: dup, split, create, shrink. Blocking ones call advance until it is done. */
struct knell__making;
enum knell__make { KNELL__MAKE_CREATE, KNELL__MAKE_SHRINK };

/* `member`: the processes of the new communicator, in its order, copied; NULL: all of the parent (shrink: the survivors).
 * size 0: this process is in none of the new ones, but agrees all the same. `handle` becomes that of the new one. `code`: what
 * happened to this member on the way here; if it failed, the creation fails at all. */
struct knell__making *knell__making_start(struct knell__comm *parent, enum knell__make kind, const int *member,
                                          int size, MPI_Comm handle, int code);
/* An MPI code, with *done set: *made is the new communicator (NULL for size 0), and the making is gone. */
int knell__making_advance(struct knell__making *making, bool *done, struct knell__comm **made);
int knell__making_finish(struct knell__making *making, struct knell__comm **made); /* blocking */
/* What the new one is to have; none, unless this is called right after the start. */
void knell__making_hint(struct knell__making *making, const struct knell__hints *hints);
/* What a decided creation among the members of `comm` means, the same at all of them. */
struct knell__ticket;
int knell__creation_verdict(const struct knell__comm *comm, const struct knell__ticket *ticket);
/* Behind a request: *newcomm is set at once, and of use when it completes. */
int knell__making_request(struct knell__making *making, struct knell__comm *parent, MPI_Comm *newcomm,
                          MPI_Request *request);

#endif
