/* persistent.h: requests that are made once and started many times.
 *
 * The program's handle is a native persistent request that is never started: valid everywhere, in Fortran too. What a start
 * begins is a request as any other, `active`, and the completion calls complete that one: MPI_REQUEST_NULL in its place is what an
 * inactive request is to all of them. So a persistent request fails, stays pending and is given up as a nonblocking one, and the calls
 * that know no persistent request do nothing for it.
 *
 * It holds its communicator: the program may free that one before it. */
#ifndef KNELL_MPI_REQUEST_PERSISTENT_H
#define KNELL_MPI_REQUEST_PERSISTENT_H

#include "mpi/request/request.h"

struct persistent {
    MPI_Request handle; /* the program's */
    MPI_Request active; /* what was begun and is not complete; MPI_REQUEST_NULL: the request is inactive */
    struct comm *comm;
    int (*start)(struct persistent *persistent); /* sets `active`; raises its errors */
    void (*release)(struct persistent *persistent);
};

/* How many there are. */
extern _Atomic int persistent_count;
static inline bool persistent_any(void)
{
    return RARELY(atomic_load_explicit(&persistent_count, memory_order_relaxed) != 0);
}

/* From malloc, with `handle`, `start` and `release`: a request of the program's from now on. */
void persistent_begin(struct persistent *persistent, struct comm *comm, MPI_Request *request);

/* NULL: this is none. */
struct persistent *persistent_of(MPI_Request handle);

/* MPI_Request_free: what is under way goes on. */
int persistent_free(const struct request *known, MPI_Request *handle);

#endif
