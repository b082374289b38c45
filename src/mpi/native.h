/* native.h: the calls of the MPI below, by pointer: calling them never comes back into the layer by the front door. */
#ifndef KNELL_MPI_NATIVE_H
#define KNELL_MPI_NATIVE_H

#include "mpi/gen/native.h"

extern struct knell__native knell__native;

/* Fills knell__native; ends the process with a word when the MPI lacks one of them. */
void knell__native_find(void);
void *knell__native_symbol(const char *name);
/* Puts better ones in the place of some (native_tune.c). */
void knell__native_tune(void);
/* Finding and tuning, once: for calls that may come before the layer's own constructor. */
void knell__native_ready(void);
/* Waits, and gives the processor away meanwhile. Ranks that share one wait for each other for long in the MPI's blocking calls. */
int knell__native_await(MPI_Request *request);
/* Between the two calls its MPI_Test looks, and gives no turn away (native_tune.c). Not a lock: a hint. */
void knell__native_look_quickly(void);
void knell__native_look_idly(void);
/* After its MPI_Init: it does not speak of deaths any more (native_hush.c). */
void knell__native_hush(void);

#endif
