/* The subcommands, one per file. Each returns the exit status. commands.c has them in a table. */
#ifndef KNELL_CLI_COMMANDS_H
#define KNELL_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct knell_command knell__commands[];

int knell__command_calibrate(int argc, char **argv);
int knell__command_completion(int argc, char **argv);
int knell__command_fail_check(int argc, char **argv);
int knell__command_fail_graph(int argc, char **argv);
int knell__command_fail_run(int argc, char **argv);
int knell__command_live(int argc, char **argv);
int knell__command_plan(int argc, char **argv);
int knell__command_run(int argc, char **argv);
int knell__command_sim_agree(int argc, char **argv);
int knell__command_sim_broadcast(int argc, char **argv);
int knell__command_sim_check(int argc, char **argv);
int knell__command_sim_figures(int argc, char **argv);
int knell__command_sim_ping(int argc, char **argv);
int knell__command_sim_swim(int argc, char **argv);
int knell__command_sim_ring(int argc, char **argv);

#endif
