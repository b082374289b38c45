/* run_kill.h: --kill as a scenario: there is one injector, not two. */
#ifndef KNELL_CLI_RUN_KILL_H
#define KNELL_CLI_RUN_KILL_H

#include "cli/run.h"

/* The number of an MPI call (gen/calls.h) by its name; -1: none, or none at which scenarios hear of ranks. */
int knell__run_call(const char *name);
/* Says why there is none, and which is like it; an exit status. `where`: what of the user's named it. */
int knell__run_no_call(const struct knell__run_plan *plan, const char *where, const char *name);

/* All of --kill is well formed; -1, or an exit status after a complaint. */
int knell__run_kills_check(const struct knell__run_plan *plan);

/* Writes the scenario and compiles it; an exit status. */
int knell__run_kills_open(const struct knell__run_plan *plan, struct knell_scenario *scenario);

#endif
