/* ending.h: the signals by which a user ends `knell run` and `knell live`. Both then exit with 128 plus the number
 * of the signal, as a shell reports a process that a signal killed. */
#ifndef KNELL_CLI_COMMON_ENDING_H
#define KNELL_CLI_COMMON_ENDING_H

#include <signal.h>

/* SIGINT, SIGTERM, and SIGHUP unless it is ignored (nohup does that). The caller blocks them and waits for them. */
void ending_signals(sigset_t *set);

#endif
