/* A command's standard output, kept in memory until the command has succeeded: an error leaves nothing half written. */
#ifndef KNELL_CLI_COMMON_OUTPUT_H
#define KNELL_CLI_COMMON_OUTPUT_H

#include "cli/common/options.h"

#include <stdio.h>

struct knell_output {
    FILE *f; /* write here */
    char *text;
    size_t size;
};

/* 0, or KNELL_EXIT_FAILED with a complaint when there is no memory. */
int knell_output_begin(struct knell_output *o, const struct knell_usage *usage);

/* Writes all of it to standard output. 0, or KNELL_EXIT_FAILED with a complaint (full disk, closed pipe). */
int knell_output_commit(struct knell_output *o, const struct knell_usage *usage);

/* Instead of commit. */
void knell_output_drop(struct knell_output *o);

#endif
