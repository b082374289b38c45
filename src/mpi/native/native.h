/* native.h: the calls of the MPI below, by pointer: calling them never comes back into the layer by the front door. */
#ifndef KNELL_MPI_NATIVE_NATIVE_H
#define KNELL_MPI_NATIVE_NATIVE_H

#include "mpi/native/gen/native.h"

#include <stdbool.h>

extern struct native native;

/* Fills native; ends the process with a word when the MPI lacks one of them. */
void native_find(void);
/* Finding and tuning, once: for calls that may come before the layer's own constructor. */
void native_ready(void);
/* After its MPI_Init: it does not speak of deaths any more (hush.c). */
void native_hush(void);
/* Before its MPI_Init: it has a folder for its files that outlives the death of others (session.c). */
void native_own_session(void);

#endif
