/* program.h: the file of a program: where it is, which libraries it loads, which MPI that makes. */
#ifndef KNELL_CLI_COMMON_PROGRAM_H
#define KNELL_CLI_COMMON_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

enum program_mpi { PROGRAM_OPENMPI, PROGRAM_MPICH, PROGRAM_MPIS };
extern const char *const program_mpi_names[]; /* ends with NULL */

/* A file that can be executed. */
bool program_is(const char *path);
/* As the shell does: along PATH, unless the name contains a slash. */
bool program_on_path(const char *name, char path[PATH_MAX]);

/* Calls `each` for every library that the program loads when it starts, directly or indirectly (by ldd). `file` is NULL for one that is
 * not found. */
typedef void program_library(void *context, const char *name, const char *file);
void program_libraries(const char *path, program_library *each, void *context);

/* The MPI that a library of this name is of; PROGRAM_MPIS: none. */
int program_mpi_of_library(const char *name);
/* The MPI that the program is linked with. */
int program_mpi(const char *path);

#endif
