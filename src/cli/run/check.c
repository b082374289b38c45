/* check.c: --check: the user's command judges the job's output. It has its own process group and a time limit; when
 * it is over no process of it is left. */
#include "cli/run/run.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 60
#define LIMIT_NS (LIMIT_S * INT64_C(1000000000))
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 }; /* by the shell's word */

/* "1 3": the ranks that died. */
static char *list_dead(const struct run_job *job)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *before = "";
    for (int i = 0; out && i < job->plan->ranks; i++)
        if (run_is_death(&job->rank[i])) {
            fprintf(out, "%s%d", before, i);
            before = " ";
        }
    if (out && fclose(out) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* What it writes goes to standard error: standard output is the job's. */
static _Noreturn void become_check(const char *command, int input, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(NOT_FOUND);
    dup2(input, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(NOT_FOUND);
}

static bool start(struct run_job *job)
{
    char path[PATH_MAX + 16];
    char *dead = list_dead(job);
    pid_t parent = getpid();
    snprintf(path, sizeof path, "%s/" RUN_RECORD_OUTPUT, job->record);
    int input = open(path, O_RDONLY | O_CLOEXEC);
    bool fine =
        dead && input >= 0 && setenv("KNELL_RUN_DIR", job->record, 1) == 0 && setenv("KNELL_DEAD", dead, 1) == 0;
    fflush(NULL);
    job->check = fine ? fork() : -1;
    if (job->check == 0)
        become_check(job->plan->check, input, parent);
    if (job->check > 0)
        setpgid(job->check, job->check);
    if (input >= 0)
        close(input);
    free(dead);
    return job->check > 0;
}

static void say_how(const struct run_job *job, bool ended, struct run_facts *facts)
{
    int status = job->check_status;
    char *unchecked = facts->unchecked;
    if (!ended)
        snprintf(unchecked, RUN_WHY,
                 job->stopped_by ? "the check was ended by signal %d" : "the check took more than %d s",
                 job->stopped_by ? job->stopped_by : LIMIT_S);
    else if (WIFSIGNALED(status))
        snprintf(unchecked, RUN_WHY, "the check was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == NOT_FOUND || WEXITSTATUS(status) == NOT_EXECUTABLE)
        snprintf(unchecked, RUN_WHY, "the check could not be run: status %d", WEXITSTATUS(status));
    else if (WEXITSTATUS(status) != 0)
        snprintf(facts->wrong, RUN_WHY, "the check failed with status %d", WEXITSTATUS(status));
}

/* Its group may have other processes; those that left the group are ours when their parents have ended. */
void run_check(struct run_job *job, int signals, struct run_facts *facts)
{
    int64_t until = knell__clock_now() + LIMIT_NS;
    if (!start(job)) {
        snprintf(facts->unchecked, RUN_WHY, "the check could not be started: %s", strerror(errno));
        return;
    }
    pid_t group = job->check;
    while (job->check && !job->stopped_by && knell__clock_now() < until)
        run_wait(job, signals, until);
    bool ended = job->check == 0;
    kill(-group, SIGKILL);
    run_end_children(job);
    say_how(job, ended, facts);
}
