/* native.h: the calls of the MPI below, by pointer: calling them never comes back into the layer by the front door. */
#ifndef KNELL_MPI_NATIVE_H
#define KNELL_MPI_NATIVE_H

#include "mpi/gen/native.h"

#include <stdbool.h>

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

/* MPICH's connections are closed by all processes together (native_close.c). Between the two calls, around its MPI_Init, they are learned. */
void knell__native_learn_connections(bool on);
/* The native MPI_Finalize that this thread calls next waits, when its connections are closed, until they are everywhere. */
void knell__native_close_together(void);
/* It is so far; the epoch is raised. Never, where the MPI below closes them otherwise. */
bool knell__native_closed_here(void);
void knell__native_closed_everywhere(void);

#endif
