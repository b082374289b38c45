/* options_value.h: the interface between options.c, which finds options on the command line, and options_value.c,
 * which knows their kinds. */
#ifndef KNELL_CLI_COMMON_OPTIONS_VALUE_H
#define KNELL_CLI_COMMON_OPTIONS_VALUE_H

#include "cli/common/options.h"

/* -1: set. Otherwise the exit status, after a complaint. */
int option_set(const struct usage *usage, const struct option *o, const char *value);

/* Adds a value to an option that collects them; returns the same. */
int option_collect(const struct usage *usage, const struct option *o, const char *value);

/* Prints "--opt value: what is wrong". Long values are cut, so that the reason still fits. */
int option_refuse(const struct usage *usage, const struct option *o, const char *value, const char *wrong);

#endif
