/* commands.h: the table of all commands. */
#ifndef KNELL_CLI_COMMANDS_H
#define KNELL_CLI_COMMANDS_H

#include "cli/common/command.h"

extern const struct command commands[];

#endif
