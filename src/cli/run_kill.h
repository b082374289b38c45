/* run_kill.h: --kill as a scenario: there is one injector, not two. */
#ifndef KNELL_CLI_RUN_KILL_H
#define KNELL_CLI_RUN_KILL_H

#include "cli/run.h"

/* Does a name of the user's, perhaps a family (MPI_*), mean this call? */
bool knell__run_call_is(int call, const char *name);
/* Does it mean any call at which scenarios hear of ranks? */
bool knell__run_call_exists(const char *name);
/* Says why there is none, and which is like it; an exit status. `where`: what of the user's named it. */
int knell__run_no_call(const struct knell_usage *usage, const char *where, const char *name);

/* All of --kill is well formed; -1, or an exit status after a complaint. */
int knell__run_kills_check(const struct knell__run_plan *plan);

/* Writes the scenario and compiles it; an exit status. */
int knell__run_kills_open(const struct knell__run_plan *plan, struct knell_scenario *scenario);

#endif
