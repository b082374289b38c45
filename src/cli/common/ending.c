/* See ending.h. */
#include "cli/common/ending.h"

#include <stddef.h>

/* Blocked, a signal is queued even if it is ignored. SIGINT counts all the same: shells let what they start in the background
 * ignore it, and who sends one to us by name means it. */
void ending_signals(sigset_t *set)
{
    struct sigaction hangup;
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
        sigaddset(set, SIGHUP);
}
