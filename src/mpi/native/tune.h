/* tune.h: what the layer does better than the MPI below, and hints to it. */
#ifndef KNELL_MPI_NATIVE_TUNE_H
#define KNELL_MPI_NATIVE_TUNE_H

#include <mpi.h>
#include <stdbool.h>

/* Puts better ones in the place of some. */
void native_tune(void);
/* Waits for all of them, and gives the processor away meanwhile: ranks that share one wait for each other for long in the MPI's blocking
 * calls. `look` is called all the while, and ends the process if there is nothing to wait for any more. */
int native_await(MPI_Request *request, int count, void (*look)(void));
/* Between the two calls its MPI_Test looks, and gives no turn away. Not a lock: a hint. */
void native_look_quickly(void);
void native_look_idly(void);

/* That of sends that are complete when the call returns; found at MPI_Init. */
extern MPI_Request native_request_complete;
void native_learn_complete(void);
#ifdef MPICH
void native_let_go(void); /* of that one */
#else
static inline void native_let_go(void)
{
}
#endif
/* The room `carried` lets go of it. */
extern bool native_is_let_go_of;

/* Is this send, just posted, complete? Then it is let go of, and there is nothing to wait for. */
static inline bool native_was_complete(MPI_Request request)
{
    if (request != native_request_complete)
        return false;
    if (!native_is_let_go_of)
        native_let_go();
    return true;
}

#endif
