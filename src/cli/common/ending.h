/* The signals by which a user ends a command that has processes of its own: the same for `knell run` and `knell live`. Both end
 * with 128 and the signal then, as a shell tells of who died by it. */
#ifndef KNELL_CLI_COMMON_ENDING_H
#define KNELL_CLI_COMMON_ENDING_H

#include <signal.h>

/* SIGINT, SIGTERM, and SIGHUP unless it is ignored, as nohup has it: to be blocked and waited for. */
void ending_signals(sigset_t *set);

#endif
