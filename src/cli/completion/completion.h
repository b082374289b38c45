/* completion.h: what the files of `knell completion` share.
 *
 *     completion.c  the command, and the walk through all tables
 *     bash.c        the script for bash
 *     zsh.c         the script for zsh */
#ifndef KNELL_CLI_COMPLETION_COMPLETION_H
#define KNELL_CLI_COMPLETION_COMPLETION_H

#include "cli/common/options.h"

#include <stdio.h>

/* The command, for the commands of this table; returns the exit status. */
int completion_command(const struct command *table, int argc, char **argv);

/* Called for each command: `path` is what a user types after "knell". */
typedef void completion_options(FILE *out, const char *path, const struct option *options, size_t n);
void completion_each(FILE *out, const struct command *table, completion_options *each);

/* Called for each table of commands; the path of the outermost is "". */
typedef void completion_commands(FILE *out, const char *path, const struct command *table);
void completion_each_level(FILE *out, const struct command *table, completion_commands *each);

/* What a shell can offer as the value of an option or as an operand. */
enum completion_value {
    COMPLETION_NONE, /* a flag */
    COMPLETION_ANY,
    COMPLETION_WORDS,
    COMPLETION_FILE,
    COMPLETION_DIR,
    COMPLETION_PROGRAM,
};
enum completion_value completion_value_of(const struct option *o);

void completion_bash(FILE *out, const struct command *table);
void completion_zsh(FILE *out, const struct command *table);

#endif
