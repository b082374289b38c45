/* names.h: does a program have the functions and variables that a scenario for the agent names? */
#ifndef KNELL_CLI_SCENARIO_NAMES_H
#define KNELL_CLI_SCENARIO_NAMES_H

#include "agent/agent.h"

/* Looks into the program's file and its libraries, by ldd, for what the daemon of the place names, and whether it may be traced. False: `why`
 * says what is wrong. */
bool scenario_check_names(const struct knell_fail_program *program, uint32_t place, const char *path,
                          char why[AGENT_WHY]);

#endif
