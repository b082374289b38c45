/* check.h: what the files of `knell check` share: which MPI calls a program and its libraries import that the layer does not carry.
 *
 *     check.c     the command line
 *     files.c     the program, its libraries, and what they import
 *     report.c    what is written about it */
#ifndef KNELL_CLI_CHECK_CHECK_H
#define KNELL_CLI_CHECK_CHECK_H

#include "cli/common/json.h"
#include "cli/common/options.h"

#include <stdio.h>

/* The command; returns the exit status. */
int check_command(int argc, char **argv);

/* A call that is not carried, as one file imports it. */
struct check_import {
    const char *call; /* its name in C */
    char *file;       /* its base name */
    int number;       /* of the file */
    bool by_program;  /* not by a library */
    bool by_bindings; /* only MPI's C++ bindings, compiled into the file, call it */
};

struct check_result {
    const char *path;
    int mpi;     /* enum program_mpi; PROGRAM_MPIS: it is linked with none */
    int files;   /* that were looked at, without those of the MPI */
    int names;   /* of MPI's calls, carried or not, that they import */
    int missing; /* libraries that were not found */
    char *first_missing;
    size_t imports, room;
    struct check_import *import;
    bool no_memory;
};

/* -1, or an exit status after a complaint. */
int check_files(const struct usage *usage, struct check_result *result);
void check_free(struct check_result *result);

bool check_is_carried(const struct check_result *result);
void check_write_text(const struct check_result *result, FILE *out);
void check_write_json(const struct check_result *result, FILE *out);

#endif
