/* fail.h: the commands below `knell fail`. Each returns the exit status. */
#ifndef KNELL_CLI_FAIL_FAIL_H
#define KNELL_CLI_FAIL_FAIL_H

int fail_check_command(int argc, char **argv);
int fail_graph_command(int argc, char **argv);
int fail_run_command(int argc, char **argv);

#endif
