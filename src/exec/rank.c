/* rank.c: the process of the rank. It dies with its supervisor; what it started and left becomes the supervisor's child. */
#include "exec/exec.h"
#include "os/clock.h"

#include <knell/agent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS INT64_C(1000000)
/* What a rank started may take so long to see that the rank has ended. */
#define LEFT_NS (200 * MS)

static sigset_t heard, as_found;

bool rank_prepare(struct exec *exec)
{
    static const int signals[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT};
    sigemptyset(&heard);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&heard, signals[i]);
    if (exec->is_heard && getenv("KNELL_CALLS"))
        exec->calls_fd = memfd_create("knell-calls", MFD_CLOEXEC);
    exec->signals = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
    return exec->signals >= 0;
}

/* ---- start ----------------------------------------------------------------------------------------------------------- */

static void give_environment(const struct exec *exec, pid_t supervisor)
{
    char where[64];
    const char *preload = getenv("KNELL_PRELOAD");
    snprintf(where, sizeof where, "%d:%d:%d:%d:%d", (int)supervisor, exec->desk_fd, exec->reports_out, exec->calls_fd,
             exec->deaths_in);
    setenv(JOB_SUPERVISOR, where, 1);
    if (preload)
        setenv("LD_PRELOAD", preload, 1);
    unsetenv("KNELL_PRELOAD");
}

/* The agent of this host, if there is one: it traces the rank from its first instruction. */
static void tell_agent(const struct exec *exec)
{
    char why[512];
    if (!getenv("KNELL_AGENT") || knell_agent_ask("expect", getpid(), why, sizeof why) == 0)
        return;
    exec_say("%.200s is not started: %s", exec->program[0], why);
    _exit(126);
}

static _Noreturn void become_rank(const struct exec *exec, pid_t supervisor)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor)
        _exit(EXIT_FAILURE);
    sigprocmask(SIG_SETMASK, &as_found, NULL);
    signal(SIGPIPE, SIG_DFL);
    output_become_rank();
    give_environment(exec, supervisor);
    tell_agent(exec);
    execvp(exec->program[0], exec->program);
    int why = errno;
    exec_say("%.500s: %s", exec->program[0], strerror(why));
    _exit(why == ENOENT ? 127 : 126);
}

bool rank_start(struct exec *exec)
{
    pid_t supervisor = getpid();
    sigprocmask(SIG_BLOCK, &heard, &as_found);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    exec->rank = fork();
    if (exec->rank == 0)
        become_rank(exec, supervisor);
    if (exec->rank > 0)
        link_report(exec, (struct job_report){.word = JOB_WORD_STARTED, .value = exec->rank});
    return exec->rank > 0;
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

void rank_kill(struct exec *exec, int signal)
{
    if (exec->rank > 0 && !exec->has_ended)
        kill(exec->rank, signal);
}

/* The rank stays a zombie as long as we are here: its number is nobody else's. */
static void look_for_ends(struct exec *exec)
{
    for (siginfo_t end = {0}; waitid(P_ALL, 0, &end, WEXITED | WNOWAIT | WNOHANG) == 0 && end.si_pid > 0;
         end.si_pid = 0) {
        if (end.si_pid == exec->rank) {
            exec->has_ended = true;
            exec->status = end.si_code == CLD_EXITED ? W_EXITCODE(end.si_status, 0) : end.si_status;
            return;
        }
        waitpid(end.si_pid, NULL, WNOHANG);
    }
}

void rank_hear_signals(struct exec *exec)
{
    struct signalfd_siginfo info;
    while (read(exec->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD && !exec->is_alone)
            rank_kill(exec, (int)info.ssi_signo);
    look_for_ends(exec);
}

/* The name of the process, in parentheses, may contain anything. */
static char state_of(pid_t pid)
{
    char path[40], line[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *stat = fopen(path, "re");
    if (stat && !fgets(line, sizeof line, stat))
        line[0] = '\0';
    if (stat)
        fclose(stat);
    const char *end = strrchr(line, ')');
    return end && end[1] == ' ' ? end[2] : '\0';
}

char rank_state(const struct exec *exec)
{
    return exec->rank > 0 ? state_of(exec->rank) : '\0';
}

/* ---- what it left ---------------------------------------------------------------------------------------------------- */

/* Living children of this process other than the rank; `signal` goes to each. */
static int signal_children(const struct exec *exec, int signal)
{
    char path[64];
    int pid, count = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "re");
    while (children && fscanf(children, "%d", &pid) == 1)
        if (pid != exec->rank && state_of(pid) != 'Z') {
            kill(pid, signal);
            count++;
        }
    if (children)
        fclose(children);
    return count;
}

/* Until none is left, or the time is over. */
static int wait_for_children(const struct exec *exec, int signal, int64_t how_long)
{
    int64_t until = knell__clock_now() + how_long, now;
    int count;
    while ((count = signal_children(exec, signal)) > 0 && (now = knell__clock_now()) < until) {
        struct signalfd_siginfo info;
        poll(&(struct pollfd){.fd = exec->signals, .events = POLLIN}, 1, (int)((until - now) / MS) + 1);
        while (read(exec->signals, &info, sizeof info) > 0)
            ;
    }
    return count;
}

int rank_end_left(struct exec *exec)
{
    int left = wait_for_children(exec, 0, LEFT_NS);
    if (left > 0)
        wait_for_children(exec, SIGKILL, 5 * LEFT_NS);
    return left;
}
