/* --eta and --delta of the commands that run detectors: `knell live` and `knell run`. */
#ifndef KNELL_CLI_HEARTBEAT_H
#define KNELL_CLI_HEARTBEAT_H

#include "cli/options.h"

/* A delta that was not given (0) becomes `times` eta. -1: the two fit; otherwise the exit status, after a complaint. */
int knell__heartbeat_settle(const struct knell_usage *usage, int64_t eta, int64_t times, int64_t *delta);

#endif
