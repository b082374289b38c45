/* unborn.h: communicators made by their members alone, with no parent in whose group all of them could agree (MPI_Comm_create_group,
 * MPI_Intercomm_create). They agree in the group of the new one, whose id each of them computes.
 *
 * Twice: on a place, as all creations do (make.c), and that all have heard of it. Members that have not come yet may never come, and do
 * not know of the group: `leaves` says when nobody can count on them any more. Who leaves before the second agreement takes part in
 * none: nobody will have the communicator.
 *
 * When the first agreement is decided, all living members know of the group. With `stays` nobody leaves after that, and who leaves before
 * revokes the group: that ends the second agreement in the same way at all. Without, the group is dropped, so that nothing is left of a
 * creation that failed; who leaves during the second agreement may leave others behind who have the communicator: to them it is revoked,
 * and the slot ends dirty here. */
#ifndef KNELL_MPI_CREATE_UNBORN_H
#define KNELL_MPI_CREATE_UNBORN_H

#include "mpi/comm/comm.h"

struct unborn {
    struct comm *comm; /* without a place */
    /* Asked while this member waits for the others: not MPI_SUCCESS, it is to leave, and that is the code. */
    int (*leaves)(const struct unborn *unborn);
    const void *reason; /* the function's own */
    bool stays;
    bool met;  /* all living members know of it */
    bool left; /* during an agreement */
};

uint64_t unborn_mix(uint64_t into, uint64_t x);
/* How often a communicator was asked for the same, with this time. */
uint64_t unborn_count(struct comm *comm, uint64_t key);

/* Collective among the members. Its code is the same at all who have not left. The handle is like `parent`'s. */
int unborn_bear(struct unborn *unborn, const struct comm *parent, MPI_Comm *newcomm);

#endif
