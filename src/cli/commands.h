/* The subcommands, one per file. */
#ifndef KNELL_CLI_COMMANDS_H
#define KNELL_CLI_COMMANDS_H

#endif
