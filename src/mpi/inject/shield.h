/* shield.h: between knell_faults_pause and knell_faults_resume no fault strikes this process (knell/faults.h). */
#ifndef KNELL_MPI_INJECT_SHIELD_H
#define KNELL_MPI_INJECT_SHIELD_H

#include <stdbool.h>

/* What knell/faults.h looks for by name. */
void knell_layer_faults_pause(void);
void knell_layer_faults_resume(void);

bool shield_is_shut(void);

/* Returns when it is not. */
void shield_wait(void);

#endif
