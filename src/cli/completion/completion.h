/* completion.h: what the files of `knell completion` share.
 *
 *   completion.c       the command, and the way through all tables
 *   completion_bash.c  the script for bash
 *   completion_zsh.c   the script for zsh */
#ifndef KNELL_CLI_COMPLETION_COMPLETION_H
#define KNELL_CLI_COMPLETION_COMPLETION_H

#include "cli/common/options.h"

#include <stdio.h>

/* The command, for the commands of this table; returns the exit status. */
int knell__command_completion(const struct knell_command *table, int argc, char **argv);

/* A command with options: `path` is what is typed after "knell". */
typedef void knell__completion_options(FILE *out, const char *path, const struct knell_option *options, size_t n);
void knell__completion_each(FILE *out, const struct knell_command *table, knell__completion_options *each);

/* A level of commands; the path of the first is "". */
typedef void knell__completion_commands(FILE *out, const char *path, const struct knell_command *table);
void knell__completion_each_level(FILE *out, const struct knell_command *table, knell__completion_commands *each);

/* What can be offered as the value of an option, or as an operand. */
enum knell__completion_value {
    KNELL__VALUE_NONE, /* a flag */
    KNELL__VALUE_ANY,
    KNELL__VALUE_WORDS,
    KNELL__VALUE_FILE,
    KNELL__VALUE_DIR,
    KNELL__VALUE_PROGRAM,
};
enum knell__completion_value knell__completion_value_of(const struct knell_option *o);

void knell__completion_bash(FILE *out, const struct knell_command *table);
void knell__completion_zsh(FILE *out, const struct knell_command *table);

#endif
