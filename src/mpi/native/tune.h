/* tune.h: what the layer does better than the MPI below, and hints to it. */
#ifndef KNELL_MPI_NATIVE_TUNE_H
#define KNELL_MPI_NATIVE_TUNE_H

#include <mpi.h>
#include <stdbool.h>

/* Puts better ones in the place of some. */
void knell__native_tune(void);
/* Waits, and gives the processor away meanwhile. Ranks that share one wait for each other for long in the MPI's blocking calls. */
int knell__native_await(MPI_Request *request);
/* Between the two calls its MPI_Test looks, and gives no turn away. Not a lock: a hint. */
void knell__native_look_quickly(void);
void knell__native_look_idly(void);

/* That of sends that are complete when the call returns; found at MPI_Init. */
extern MPI_Request knell__request_complete;
void knell__requests_begin(void);
#ifdef MPICH
void knell__request_let_go(void); /* of that one */
#else
static inline void knell__request_let_go(void)
{
}
#endif

/* Is this send, just posted, complete? Then it is let go of, and there is nothing to wait for. */
static inline bool knell__request_was_complete(MPI_Request request)
{
    if (request != knell__request_complete)
        return false;
    knell__request_let_go();
    return true;
}

#endif
