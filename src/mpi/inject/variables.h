/* variables.h: variables of the program that it has registered (knell/faults.h) and the scenario names. The rank shows their values on the
 * desk and carries out orders for them, at its MPI calls. */
#ifndef KNELL_MPI_INJECT_VARIABLES_H
#define KNELL_MPI_INJECT_VARIABLES_H

#include "job/report.h"

/* What knell/faults.h looks for by name. */
void knell_layer_variable(const char *name, void *address, int type);

/* Orders first, then the values: the desk is up to date. */
void variables_exchange(struct job_desk *desk);

/* One that is watched and has another value than at the call before, each once; -1: none. */
int variables_changed(const struct job_desk *desk);

#endif
