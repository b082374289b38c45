/* installed.h: files that belong to this command: beside it in the build tree, or where they are installed. */
#ifndef KNELL_CLI_COMMON_INSTALLED_H
#define KNELL_CLI_COMMON_INSTALLED_H

#include "cli/common/options.h"

#include <limits.h>

/* The layer for that MPI (enum program_mpi); an exit status, after a complaint. */
int installed_layer(const struct usage *usage, int mpi, char path[PATH_MAX]);
/* The supervisor (src/exec). */
int installed_supervisor(const struct usage *usage, char path[PATH_MAX]);
/* The list for LD_PRELOAD. The user's libraries come first: a tool then sits between the program and the layer and sees the program's
 * calls. */
void installed_preload(const char *layer, char list[2 * PATH_MAX]);

#endif
