/* mttf.h: --mttf as a scenario: the shipped examples/fail/life-exponential.fail. */
#ifndef KNELL_CLI_RUN_MTTF_H
#define KNELL_CLI_RUN_MTTF_H

#include "cli/run/run.h"

/* Compiles it for the ranks of this job, with -D; returns an exit status. */
int run_mttf_open(const struct run_plan *plan, struct scenario *scenario);

#endif
