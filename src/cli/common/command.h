/* command.h: a command as main.c sees it: a name, a line for the help, and either a function or a table of
 * subcommands. */
#ifndef KNELL_CLI_COMMON_COMMAND_H
#define KNELL_CLI_COMMON_COMMAND_H

/* Exit statuses of every command. */
enum {
    EXIT_OK = 0,
    EXIT_FAILED = 1, /* a property was violated, or a resource was missing (memory, disk) */
    EXIT_USAGE = 2,  /* the command line or an input file is wrong: one line on standard error, no output */
};

struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's own name; returns the exit status */
    const struct command *commands;    /* instead of run: subcommands; a table ends with a name of NULL */
};

#endif
