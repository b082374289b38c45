/* goodbye.c: hydra's last word. When a rank's connection to hydra ends without it, hydra notes the status 1 for the rank, sometimes after
 * it has heard the supervisor's: the whole job would end with that. Said twice, or with nobody there to hear the answer, it ends the job
 * too. */
#include "exec/exec.h"

#include <stdlib.h>
#include <sys/socket.h>

static const char goodbye[] = "cmd=finalize\n";
enum { SAID_BY_RANK_MS = 200, SAID_HERE_MS = 1000 }; /* until it is answered */

/* An answer, or the connection is closed, as it is when the rank had its answer. */
static bool answered(int fd, int limit_ms)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, limit_ms) > 0;
}

void goodbye_say_for(const struct exec *exec)
{
    const char *fd = getenv("PMI_FD");
    int launcher = fd ? atoi(fd) : -1;
    if (launcher < 0 || (atomic_load(&exec->desk->pact.goodbye) && answered(launcher, SAID_BY_RANK_MS)))
        return;
    if (send(launcher, goodbye, sizeof goodbye - 1, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        answered(launcher, SAID_HERE_MS);
}
