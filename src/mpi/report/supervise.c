/* supervise.c: a process between the launcher and the rank. MPICH's hydra ends the whole job at the next event after one of
 * its children died by a signal; so its child is this supervisor, which waits for the rank and ends with 0 whatever the rank
 * died of. It forks before main, when the library is loaded, and only when KNELL_SUPERVISE is set. `knell run` has one for every
 * rank of every MPI, and hears the rank's true status from it. */
#include "mpi/report/supervise.h"
#include "mpi/base/settings.h"
#include "mpi/report/copy.h"
#include "mpi/report/tell.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- goodbye ------------------------------------------------------------------------------------------------------------------ */

/* When a rank's connection to hydra ends without this word, hydra notes the status 1 for it, sometimes after it has heard the
 * supervisor's: the whole job would end with that. Said twice, or with nobody there to hear the answer, it ends the job too. */
static const char goodbye[] = "cmd=finalize\n";
enum { SAID_BY_RANK_MS = 200, SAID_HERE_MS = 1000 }; /* until it is answered */

static bool *goodbye_begun; /* shared with the rank; NULL: not */

void supervise_hear_goodbye(void)
{
    if (goodbye_begun)
        *goodbye_begun = true;
}

/* An answer, or the connection is closed, as it is when the rank had its answer. */
static bool answered(int fd, int limit_ms)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, limit_ms) > 0;
}

static void say_goodbye_for_it(void)
{
    const char *fd = settings_get("PMI_FD");
    int launcher = fd ? atoi(fd) : -1;
    if (launcher < 0 || !goodbye_begun || (*goodbye_begun && answered(launcher, SAID_BY_RANK_MS)))
        return;
    if (send(launcher, goodbye, sizeof goodbye - 1, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        answered(launcher, SAID_HERE_MS);
}

static void share_goodbye(void)
{
    void *page = mmap(NULL, sizeof *goodbye_begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    goodbye_begun = page == MAP_FAILED ? NULL : page;
}

/* ---- between launcher and rank ------------------------------------------------------------------------------------------------ */

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

/* The rank stays a zombie: should the supervisor be killed now, as hydra does at MPI_Abort, `knell run` inherits it. A status, as of
 * waitpid. */
static int wait_for_rank(void)
{
    siginfo_t end = {0};
    while (waitid(P_PID, (id_t)rank, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    return end.si_code == CLD_EXITED ? W_EXITCODE(end.si_status, 0) : end.si_status;
}

/* A death by a signal is for the detector to tell; an exit status is the program's word, told to `knell run` if there is one,
 * else to the launcher. */
static _Noreturn void supervise(void)
{
    pass_on_signals();
    copy_become_supervisor();
    copy_until_end(rank);
    int status = wait_for_rank();
    tell_word(JOB_WORD_ENDED, status);
    copy_rest();
    say_goodbye_for_it();
    _exit(WIFEXITED(status) && !settings_get("KNELL_RUN") ? WEXITSTATUS(status) : 0);
}

/* Out of what children inherit, by hand: bash has an unsetenv of its own, which does not reach that. */
static bool take_out(const char *setting)
{
    size_t size = strlen(setting);
    char **at = environ;
    while (at && *at && strncmp(*at, setting, size) != 0)
        at++;
    if (!at || !*at)
        return false;
    do
        at[0] = at[1];
    while (*at++);
    return true;
}

__attribute__((constructor)) static void stand_between(void)
{
    if (!take_out("KNELL_SUPERVISE="))
        return;
    pid_t launcher_child = getpid();
    share_goodbye();
    copy_prepare();
    rank = fork();
    if (rank > 0) {
        tell_report((struct job_report){.word = JOB_WORD_STARTED, .value = rank, .supervisor = launcher_child});
        supervise();
    }
    if (rank == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != launcher_child)
            _exit(EXIT_FAILURE);
        copy_become_rank();
    }
}
