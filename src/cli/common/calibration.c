/* calibration.c: see calibration.h. `knell calibrate` writes one member of its JSON per line. */
#include "cli/common/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096 };

/* The number after "key": in a line; NaN: another line. */
static double value_of(const char *line, const char *key)
{
    size_t length = strlen(key);
    line += strspn(line, " {");
    if (line[0] != '"' || strncmp(line + 1, key, length) != 0 || line[length + 1] != '"' || line[length + 2] != ':')
        return NAN;
    return strtod(line + length + 3, NULL);
}

static bool is_duration(double seconds)
{
    return seconds >= 1e-9 && seconds <= 1e9;
}

int calibration_read(const struct usage *usage, const char *path, struct calibration *calibrated)
{
    struct calibration read = {0};
    double version = 0;
    char line[LINE];
    FILE *file = fopen(path, "re");
    if (!file)
        return cli_usage_error(usage, "--calibration %.80s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, file)) {
        version = fmax(version, value_of(line, "knell_calibration"));
        read.tau_s = fmax(read.tau_s, value_of(line, "tau_s"));
        read.eta_s = fmax(read.eta_s, value_of(line, "eta_s"));
        read.delta_s = fmax(read.delta_s, value_of(line, "delta_s"));
    }
    bool broken = ferror(file) != 0;
    int error = errno;
    fclose(file);
    if (broken)
        return cli_usage_error(usage, "--calibration %.80s: %s", path, strerror(error));
    /* Versions 1 and 2 differ only in members that are not read here. */
    if (version < 1 || version > 2 || !is_duration(read.tau_s) || !is_duration(read.eta_s) ||
        !is_duration(read.delta_s))
        return cli_usage_error(usage, "--calibration %.80s: not what `knell calibrate --out` writes", path);
    *calibrated = read;
    return -1;
}
