/* mpi_calls.h: the names of MPI calls and of the program's variables in a scenario for `knell run`. */
#ifndef KNELL_CLI_SCENARIO_MPI_CALLS_H
#define KNELL_CLI_SCENARIO_MPI_CALLS_H

#include "cli/scenario/scenario.h"

/* Does a name in a scenario, which may be a family (MPI_*), mean this call? */
bool scenario_call_is(int call, const char *name);
/* Does it mean any call that is reported to scenarios? */
bool scenario_call_exists(const char *name);
/* Writes that there is no such call, and which one is similar; returns an exit status. `where` is the option or the
 * scenario that names it. */
int scenario_no_call(const struct usage *usage, const char *where, const char *name);

/* Checks that every function that the scenario names is an MPI call; returns an exit status. */
int scenario_check_calls(const struct usage *usage, const struct scenario *scenario);
/* Checks that the desks have room for its variables; returns an exit status. */
int scenario_check_variables(const struct usage *usage, const struct scenario *scenario);

#endif
