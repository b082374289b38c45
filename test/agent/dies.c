/* dies.c: preloaded into the agent: it is killed as it is about to trace what it has forked. */
#include <signal.h>
#include <sys/ptrace.h>
#include <unistd.h>

long ptrace(enum __ptrace_request request, ...)
{
    (void)request;
    kill(getpid(), SIGKILL);
    return -1;
}
