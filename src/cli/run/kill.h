/* kill.h: --kill as a scenario, so that there is only one injector. */
#ifndef KNELL_CLI_RUN_KILL_H
#define KNELL_CLI_RUN_KILL_H

#include "cli/run/run.h"

/* Checks all --kill. -1: all are well formed; otherwise an exit status, after a complaint. */
int run_kills_check(const struct run_plan *plan);

/* Writes the scenario and compiles it; returns an exit status. */
int run_kills_open(const struct run_plan *plan, struct scenario *scenario);

#endif
