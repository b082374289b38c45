/* inject.h: fault scenarios (FAIL) at the entries and exits of MPI calls: the effector "ghost" of docs/use/scenarios.md.
 *
 * While a scenario is armed, ATTENTION_INJECT is set and every call of the program passes here. */
#ifndef KNELL_MPI_INJECT_INJECT_H
#define KNELL_MPI_INJECT_INJECT_H

#include "mpi/base/layer.h"

/* At MPI_Init: reads what `knell run` left in the environment (docs/design/mpi.md). */
void inject_start(void);

/* May not return: the scenario may say that this process dies here. */
void inject_before(enum job_call call, const int64_t *arguments, unsigned count);
void inject_after(enum job_call call);
/* In the middle of a call, before the message that it sends is copied. */
void inject_message(enum job_call call);

/* ---- operations on the MPI below (inside.h) --------------------------------------------------------------------------- */

/* ATTENTION_COUNT: this thread enters a call of the program. */
void inject_enter(void);
/* How many operations this thread has posted since then; those that it was held before count. */
unsigned inject_posted(void);
/* Held before the operation that it was to stop at. May not return. */
struct job_desk_stop;
void inject_inside(enum job_call call, const struct job_desk_stop *stop);

#endif
