/* mpi_calls.h: the names of MPI calls and of the program's variables in a scenario for `knell run`. */
#ifndef KNELL_CLI_SCENARIO_MPI_CALLS_H
#define KNELL_CLI_SCENARIO_MPI_CALLS_H

#include "cli/scenario/scenario.h"

/* Does a name of the user's, perhaps a family (MPI_*), mean this call? */
bool scenario_call_is(int call, const char *name);
/* Does it mean any call at which scenarios hear of ranks? */
bool scenario_call_exists(const char *name);
/* Says why there is none, and which is like it; an exit status. `where`: what of the user's named it. */
int scenario_no_call(const struct usage *usage, const char *where, const char *name);

/* Every function that the scenario names is an MPI call; an exit status. `where`: the scenario's name. */
int scenario_check_calls(const struct usage *usage, const struct scenario *scenario);
/* The same for its variables: there is room for so many. */
int scenario_check_variables(const struct usage *usage, const struct scenario *scenario);

#endif
