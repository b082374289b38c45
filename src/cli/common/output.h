/* output.h: a command's standard output, kept in memory until the command has succeeded: a command that fails leaves
 * no partial output. */
#ifndef KNELL_CLI_COMMON_OUTPUT_H
#define KNELL_CLI_COMMON_OUTPUT_H

#include "cli/common/options.h"

#include <stdio.h>

struct output {
    FILE *f; /* write here */
    char *text;
    size_t size;
};

/* 0, or EXIT_FAILED with a complaint when there is no memory. */
int output_begin(struct output *o, const struct usage *usage);

/* Writes all of it to standard output. 0, or EXIT_FAILED with a complaint (full disk, closed pipe). */
int output_commit(struct output *o, const struct usage *usage);

/* Instead of commit. */
void output_drop(struct output *o);

#endif
