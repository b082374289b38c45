/* failure_list.h: a file of failures. Each line is `time node`, the time with a unit or in seconds; # begins a
 * comment. */
#ifndef KNELL_CLI_SIM_FAILURE_LIST_H
#define KNELL_CLI_SIM_FAILURE_LIST_H

#include "cli/common/options.h"
#include "sim/failures.h"

/* Reads it, sorted by time; the caller frees *list. EXIT_OK, or an exit status after a complaint. */
int failure_list_read(const struct usage *usage, const char *path, uint32_t nodes, struct knell_failure **list,
                      size_t *count);

#endif
