/* plan.h: the command `knell plan`. */
#ifndef KNELL_CLI_PLAN_PLAN_H
#define KNELL_CLI_PLAN_PLAN_H

/* Returns the exit status. */
int plan_command(int argc, char **argv);

#endif
