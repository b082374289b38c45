/* run_mttf.h: --mttf as a scenario: the shipped examples/fail/life-exponential.fail. */
#ifndef KNELL_CLI_RUN_MTTF_H
#define KNELL_CLI_RUN_MTTF_H

#include "cli/run/run.h"

/* Compiles it for the ranks of this job, with -D; an exit status. */
int knell__run_mttf_open(const struct knell__run_plan *plan, struct knell_scenario *scenario);

#endif
