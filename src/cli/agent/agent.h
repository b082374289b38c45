/* agent.h: `knell agent`: a FAIL scenario on processes of this host. */
#ifndef KNELL_CLI_AGENT_AGENT_H
#define KNELL_CLI_AGENT_AGENT_H

int agent_command(int argc, char **argv);

#endif
