/* supervise.c: a process between the launcher and the rank. MPICH's hydra ends the whole job at the next event after one of
 * its children died by a signal; so its child is this supervisor, which waits for the rank and ends with 0 whatever the rank
 * died of. It forks before main, when the library is loaded, and only when KNELL_SUPERVISE is set. `knell run` has one for every
 * rank of every MPI, and hears the rank's true status from it. */
#include "mpi/tell.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t rank;

static void pass_on(int signal)
{
    kill(rank, signal);
}

static void pass_on_signals(void)
{
    signal(SIGPIPE, SIG_IGN);
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = pass_on}, NULL);
}

/* When a rank's connection to hydra ends without this word, hydra notes the status 1 for it, sometimes after it has heard the
 * supervisor's: the whole job would end with that. The answer is waited for, but nothing depends on it. A rank that said it itself
 * has had the connection closed. */
static void say_goodbye_for_it(void)
{
    static const char goodbye[] = "cmd=finalize\n";
    enum { ANSWER_MS = 1000 };
    const char *fd = getenv("PMI_FD");
    struct pollfd launcher = {.fd = fd ? atoi(fd) : -1, .events = POLLIN};
    if (launcher.fd >= 0 && send(launcher.fd, goodbye, sizeof goodbye - 1, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        poll(&launcher, 1, ANSWER_MS);
}

/* A death by a signal is for the detector to tell; an exit status is the program's word, told to `knell run` if there is one,
 * else to the launcher. */
static _Noreturn void supervise(void)
{
    int status = 0;
    pid_t ended;
    pass_on_signals();
    while ((ended = waitpid(rank, &status, 0)) < 0 && errno == EINTR)
        ;
    knell__announce_word(KNELL__WORD_ENDED, status);
    say_goodbye_for_it();
    _exit(ended == rank && WIFEXITED(status) && !getenv("KNELL_RUN") ? WEXITSTATUS(status) : 0);
}

__attribute__((constructor)) static void stand_between(void)
{
    if (!getenv("KNELL_SUPERVISE"))
        return;
    unsetenv("KNELL_SUPERVISE");
    pid_t launcher_child = getpid();
    rank = fork();
    if (rank > 0) {
        knell__announce_word(KNELL__WORD_STARTED, rank);
        supervise();
    }
    if (rank == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != launcher_child)
            _exit(EXIT_FAILURE);
    }
}
