/* start.c: how processes come to be traced: started, attached to, or expected to exec. */
#include "agent/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- why not ----------------------------------------------------------------------------------------------------- */

long status_number(pid_t pid, const char *key)
{
    char path[40], line[128];
    long number = -1;
    size_t length = strlen(key);
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, key, length) == 0 && line[length] == ':')
            number = atol(line + length + 1);
    if (status)
        fclose(status);
    return number;
}

static int ptrace_scope(void)
{
    int scope = 0;
    FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    if (file && fscanf(file, "%d", &scope) != 1)
        scope = 0;
    if (file)
        fclose(file);
    return scope;
}

/* In the order in which the kernel asks. */
static void explain(pid_t pid, int error, char why[AGENT_WHY])
{
    long tracer = status_number(pid, "TracerPid"), user = status_number(pid, "Uid");
    if (pid == getpid())
        snprintf(why, AGENT_WHY, "process %ld is the agent itself", (long)pid);
    else if (error == ESRCH || user < 0)
        snprintf(why, AGENT_WHY, "there is no process %ld", (long)pid);
    else if (tracer > 0)
        snprintf(why, AGENT_WHY, "process %ld is traced already, by process %ld (a debugger, strace, another agent?)",
                 (long)pid, tracer);
    else if (user != (long)getuid() && getuid() != 0)
        snprintf(why, AGENT_WHY, "process %ld belongs to user %ld, not to %ld", (long)pid, user, (long)getuid());
    else if (ptrace_scope() > 0)
        snprintf(
            why, AGENT_WHY,
            "process %ld may not be traced: kernel.yama.ptrace_scope is %d; let the agent start the program, or let it call "
            "knell_register()",
            (long)pid, ptrace_scope());
    else
        snprintf(why, AGENT_WHY, "process %ld may not be traced: %s (setuid, or it asked not to be: PR_SET_DUMPABLE)",
                 (long)pid, strerror(error));
}

bool agent_check_file(const char *path, char why[AGENT_WHY])
{
    struct stat file;
    if (ptrace_scope() == 3) {
        snprintf(why, AGENT_WHY, "nothing may be traced on this host: kernel.yama.ptrace_scope is 3");
        return false;
    }
    if (stat(path, &file) != 0 || geteuid() == 0)
        return true;
    bool is_raised =
        (file.st_mode & S_ISUID && file.st_uid != geteuid()) || (file.st_mode & S_ISGID && file.st_gid != getegid());
    if (is_raised)
        snprintf(why, AGENT_WHY, "%.200s is setuid or setgid: traced, it would run without the rights it needs", path);
    else if (access(path, R_OK) != 0)
        snprintf(why, AGENT_WHY, "%.200s cannot be read: its process may not be traced", path);
    return !is_raised && access(path, R_OK) == 0;
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

static _Noreturn void become_program(const struct agent *agent, uint32_t instance, char *const *argv, int go, int told)
{
    char byte, number[16];
    const struct knell_fail_program *program = agent->config.program;
    if (read(go, &byte, 1) != 1)
        _exit(127); /* the agent was killed: nobody traces this process, or ends it */
    sigprocmask(SIG_SETMASK, &agent->as_found, NULL);
    signal(SIGCHLD, SIG_DFL);
    if (instance != AGENT_ANY_SLOT) {
        uint32_t first = knell_fail_place_at(program, knell_fail_instance_place(program, instance)).first;
        snprintf(number, sizeof number, "%u", instance - first);
        setenv("KNELL_SLOT", number, 1);
    }
    execvp(argv[0], argv);
    int error = errno;
    (void)!write(told, &error, sizeof error);
    _exit(127);
}

/* It cannot be held up: it is not yet the program, and no signal is sent to it. */
static int error_of_exec(int told)
{
    int error = 0;
    if (poll(&(struct pollfd){.fd = told, .events = POLLIN}, 1, 5000) > 0 &&
        read(told, &error, sizeof error) != (ssize_t)sizeof error)
        error = 0;
    return error;
}

static struct agent_process *seized(struct agent *agent, pid_t pid, bool started)
{
    struct agent_process *process = process_add(agent, pid);
    if (!process)
        return NULL;
    process->started = started;
    if (agent_thread_add(agent, process, pid) &&
        ptrace(PTRACE_SEIZE, pid, NULL, (void *)process_options(agent, process)) == 0)
        return process;
    int error = errno;
    process_remove(agent, process);
    errno = error;
    return NULL;
}

static int start_child(struct agent *agent, uint32_t instance, char *const *argv, const int go[2], const int told[2],
                       pid_t *pid, char why[AGENT_WHY])
{
    *pid = fork();
    if (*pid == 0) {
        close(go[1]);
        become_program(agent, instance, argv, go[0], told[1]);
    }
    close(go[0]);
    close(told[1]);
    struct agent_process *process = *pid > 0 ? seized(agent, *pid, true) : NULL;
    int error = process ? 0 : errno;
    if (process)
        (void)!write(go[1], "", 1);
    close(go[1]);
    if (process) {
        process->is_child = true;
        process->instance = instance == AGENT_ANY_SLOT ? NO_SLOT : instance;
        error = error_of_exec(told[0]);
    }
    close(told[0]);
    if (!error)
        return 0;
    if (*pid > 0)
        kill(*pid, SIGKILL);
    snprintf(why, AGENT_WHY, "%.200s: %s", argv[0], strerror(error));
    return KNELL_ESYSTEM;
}

int agent_start(struct agent *agent, uint32_t instance, char *const *argv, pid_t *pid, char why[AGENT_WHY])
{
    int go[2], told[2];
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(told, O_CLOEXEC) != 0) {
        snprintf(why, AGENT_WHY, "%.200s: %s", argv[0], strerror(errno));
        return KNELL_ESYSTEM;
    }
    return start_child(agent, instance, argv, go, told, pid, why);
}

/* ---- attach ------------------------------------------------------------------------------------------------------ */

/* Threads that were made meanwhile are found in the next round; from a thread that is traced new ones are reported. */
static bool seize_threads(struct agent *agent, struct agent_process *process)
{
    char path[40];
    bool found = true;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)process->pid);
    while (found) {
        DIR *tasks = opendir(path);
        found = false;
        for (struct dirent *entry; tasks && (entry = readdir(tasks)) != NULL;) {
            pid_t tid = (pid_t)atol(entry->d_name);
            if (tid <= 0 || agent_thread_find(agent, tid))
                continue;
            if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)process_options(agent, process)) == 0)
                found = agent_thread_add(agent, process, tid) != NULL;
        }
        if (tasks)
            closedir(tasks);
    }
    return true;
}

/* What a started launcher starts is traced before it can say that it is there. */
int agent_expect(struct agent *agent, pid_t pid, char why[AGENT_WHY])
{
    if (agent_thread_find(agent, pid) || seized(agent, pid, true))
        return 0;
    explain(pid, errno, why);
    return KNELL_ESYSTEM;
}

int agent_attach(struct agent *agent, pid_t pid, char why[AGENT_WHY])
{
    struct agent_process *process = agent_thread_find(agent, pid) ? NULL : seized(agent, pid, false);
    if (!process) {
        explain(pid, errno, why);
        return KNELL_ESYSTEM;
    }
    seize_threads(agent, process);
    process->image = image_open(pid);
    process->probes = UINT32_MAX;
    process->dirty = true;
    char file[PATH_MAX];
    slot_file_of(pid, file);
    snprintf(why, AGENT_WHY, "process %ld runs %.150s, which is no program of the scenario", (long)pid, file);
    agent->why = why;
    bool fine = process_load(agent, process);
    agent->why = NULL;
    if (fine)
        return 0;
    leave_process(agent, process);
    return KNELL_EINVAL;
}

/* ---- leaving ----------------------------------------------------------------------------------------------------- */

enum { PATIENCE_MS = 1000 };

/* A thread in a stop of job control that we listen to cannot be detached as it is. */
static bool is_to_stop(const struct agent_thread *thread)
{
    return thread->running || thread->listening;
}

static void stop_thread(struct agent *agent, struct agent_thread *thread)
{
    for (int i = 0; is_to_stop(thread) && i < PATIENCE_MS * 10; i++) {
        int status;
        pid_t found = waitpid(thread->tid, &status, __WALL | WNOHANG);
        if (found == thread->tid) {
            thread->running = thread->listening = false;
            thread->pending = true;
            thread->status = status;
            take_child(agent, thread, status);
        } else if (found < 0 && errno == ECHILD) {
            thread->running = thread->listening = false; /* it is gone */
        } else {
            usleep(100);
        }
    }
}

/* Its threads stop, except those that the kernel keeps: they are let go as they are. Who is made meanwhile is traced from its start, and is to
 * be let go, too: a thread comes before those that are known, a child becomes a process of its own. */
static void stop_threads(struct agent *agent, struct agent_process *process)
{
    const struct agent_thread *known;
    do {
        known = process->thread;
        for (struct agent_thread *thread = process->thread; thread; thread = thread->next)
            if (is_to_stop(thread))
                thread_interrupt(thread);
        for (struct agent_thread *thread = process->thread; thread; thread = thread->next)
            stop_thread(agent, thread);
    } while (process->thread != known);
}

/* A hit that nobody takes any more: rip goes back to the instruction, whose byte is there again. A signal is passed on. */
static void undo_pending(struct agent_thread *thread)
{
    int signal = WSTOPSIG(thread->status);
    if (!thread->pending || !WIFSTOPPED(thread->status) || thread->status >> 16)
        return;
    if (signal != SIGTRAP) {
        thread->signal = signal;
    } else if (thread_get_regs(thread) && point_find(thread->process->image, thread->regs.rip - 1)) {
        thread->regs.rip--;
        thread->regs_changed = true;
    }
}

void leave_process(struct agent *agent, struct agent_process *process)
{
    process->held = true;
    stop_threads(agent, process);
    if (process->image)
        point_take_out_all(process->image);
    watch_clear(process);
    for (struct agent_thread *thread = process->thread; thread; thread = thread->next) {
        undo_pending(thread);
        if (thread->stepping)
            over_leave(thread);
        watch_give(thread);
        if (thread->has_regs && thread->regs_changed)
            ptrace(PTRACE_SETREGS, thread->tid, NULL, &thread->regs);
        ptrace(PTRACE_DETACH, thread->tid, NULL, (void *)(long)thread->signal);
    }
    if (process->instance != NO_SLOT && agent->slot[process->instance] == process)
        agent->slot[process->instance] = NULL;
    process_remove(agent, process);
}
