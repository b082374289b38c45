/* ending.c: see ending.h. */
#include "cli/common/ending.h"

#include <stddef.h>

/* A blocked signal is queued even if it is ignored. An ignored SIGINT counts all the same: shells make background
 * processes ignore it, but a user who sends it to this process by its number means it. */
void ending_signals(sigset_t *set)
{
    struct sigaction hangup;
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
        sigaddset(set, SIGHUP);
}
