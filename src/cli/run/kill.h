/* run_kill.h: --kill as a scenario: there is one injector, not two. */
#ifndef KNELL_CLI_RUN_KILL_H
#define KNELL_CLI_RUN_KILL_H

#include "cli/run/run.h"

/* All of --kill is well formed; -1, or an exit status after a complaint. */
int run_kills_check(const struct run_plan *plan);

/* Writes the scenario and compiles it; an exit status. */
int run_kills_open(const struct run_plan *plan, struct scenario *scenario);

#endif
