/* fail.h: the commands below `knell fail`. Each returns the exit status. */
#ifndef KNELL_CLI_FAIL_FAIL_H
#define KNELL_CLI_FAIL_FAIL_H

int knell__command_fail_check(int argc, char **argv);
int knell__command_fail_graph(int argc, char **argv);
int knell__command_fail_run(int argc, char **argv);

#endif
