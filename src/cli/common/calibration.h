/* calibration.h: what --calibration takes from a file that `knell calibrate --out` wrote. */
#ifndef KNELL_CLI_COMMON_CALIBRATION_H
#define KNELL_CLI_COMMON_CALIBRATION_H

#include "cli/common/options.h"

struct calibration {
    double tau_s, eta_s, delta_s;
};

/* -1: read. Otherwise an exit status, after a complaint that names --calibration. */
int calibration_read(const struct usage *usage, const char *path, struct calibration *calibrated);

#endif
