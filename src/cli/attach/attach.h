/* attach.h: `knell attach`: a running process becomes one of a running agent's. */
#ifndef KNELL_CLI_ATTACH_ATTACH_H
#define KNELL_CLI_ATTACH_ATTACH_H

int attach_command(int argc, char **argv);

#endif
