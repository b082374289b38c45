/* front.c: where `knell run` is on another host, the launcher starts two processes for a rank: it knows the first, the front, which passes
 * signals and the status on. The supervisor is in a session of its own. When a launcher loses its own host, its daemons kill what they
 * have started: they end the front, and the supervisor decides whether its rank lives on. */
#include "exec/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* All signals that can be waited for, but those of mistakes of its own. */
static void set_of_all(sigset_t *set)
{
    static const int mistakes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    sigfillset(set);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        sigdelset(set, mistakes[i]);
}

static _Noreturn void stand(pid_t supervisor, const sigset_t *all)
{
    int status, signal;
    while (waitpid(supervisor, &status, WNOHANG) == 0)
        if ((signal = sigwaitinfo(all, NULL)) > 0 && signal != SIGCHLD)
            kill(supervisor, signal);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

bool front_leave(struct exec *exec)
{
    sigset_t all, before;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    set_of_all(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t supervisor = fork();
    if (supervisor > 0) {
        close(ends[0]);
        close(exec->channel.fd); /* its end is the supervisor's to tell */
        stand(supervisor, &all);
    }
    close(ends[1]);
    exec->front = ends[0];
    setsid();
    sigprocmask(SIG_SETMASK, &before, NULL);
    return supervisor == 0;
}
