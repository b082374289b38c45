/* exec.h: `knell exec`: a rank's supervisor in people's own launcher lines. */
#ifndef KNELL_CLI_EXEC_EXEC_H
#define KNELL_CLI_EXEC_EXEC_H

/* The command; does not return if the supervisor starts. */
int exec_command(int argc, char **argv);

#endif
