/* calibration.h: what `knell plan --calibration` takes from a file that `knell calibrate --out` wrote. */
#ifndef KNELL_CLI_PLAN_CALIBRATION_H
#define KNELL_CLI_PLAN_CALIBRATION_H

#include "cli/common/options.h"

struct knell__calibrated {
    double tau_s, eta_s, delta_s;
};

/* -1: read. Otherwise an exit status, after a complaint that names --calibration. */
int knell__calibration_read(const struct knell_usage *usage, const char *path, struct knell__calibrated *calibrated);

#endif
