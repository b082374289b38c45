/* take.c: what the kernel reports of a thread. */
#include "agent/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* ---- stops ------------------------------------------------------------------------------------------------------- */

static bool is_job_control(int signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* Stays where it is if its process is held, and goes on otherwise. A step that was begun is made first. */
static void settle(struct agent_thread *thread)
{
    if (thread->stepping || !process_is_still(thread->process))
        thread_resume(thread);
}

/* The int3 is executed, so rip is behind it. Ours even if it was taken out meanwhile: another thread's rule did that. */
static bool is_at_point(struct agent_thread *thread, struct agent_point **point)
{
    *point = thread_get_regs(thread) ? point_find(thread->process->image, thread->regs.rip - 1) : NULL;
    return *point != NULL;
}

/* TRAP_BRKPT: of a system call. */
static bool is_end_of_step(const siginfo_t *info)
{
    return info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT || info->si_code == TRAP_HWBKPT;
}

/* SIGTRAP: a breakpoint, a debug register, the end of a step, or the program's own business. */
static void take_trap(struct agent *agent, struct agent_thread *thread)
{
    struct agent_point *point;
    siginfo_t info;
    if (ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) != 0)
        return;
    if (thread->stepping) {
        over_end(thread, is_end_of_step(&info) ? 0 : SIGTRAP);
    } else if (info.si_code == SI_KERNEL && thread->process->image && is_at_point(thread, &point)) {
        thread->regs.rip--;
        thread->regs_changed = true;
        hit_take(agent, thread, point);
    } else if (info.si_code != TRAP_HWBKPT || !watch_take(agent, thread)) {
        thread->signal = SIGTRAP;
        aside_mend(thread);
        thread_resume(thread);
    }
}

static bool is_fault(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE;
}

static void take_signal(struct agent *agent, struct agent_thread *thread, int signal)
{
    if (signal == SIGTRAP) {
        take_trap(agent, thread);
    } else if (thread->stepping) {
        over_end(thread, signal);
    } else {
        thread->signal = signal;
        if (is_fault(signal))
            aside_mend(thread);
        thread_resume(thread);
    }
}

bool take_child(struct agent *agent, struct agent_thread *thread, int status)
{
    unsigned long child = 0;
    int event = status >> 16;
    if (event != PTRACE_EVENT_FORK && event != PTRACE_EVENT_VFORK && event != PTRACE_EVENT_CLONE)
        return false;
    ptrace(PTRACE_GETEVENTMSG, thread->tid, NULL, &child);
    if (child > 0)
        process_forked(agent, thread->process, (pid_t)child, event == PTRACE_EVENT_VFORK);
    return true;
}

void take_stop(struct agent *agent, struct agent_thread *thread, int status)
{
    int event = status >> 16, signal = WSTOPSIG(status);
    switch (event) {
    case 0:
        take_signal(agent, thread, signal);
        return;
    case PTRACE_EVENT_STOP:
        if (is_job_control(signal)) {
            thread->listening = ptrace(PTRACE_LISTEN, thread->tid, NULL, NULL) == 0;
            return;
        }
        settle(thread);
        return;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
        take_child(agent, thread, status);
        settle(thread);
        return;
    case PTRACE_EVENT_EXEC:
        process_exec(agent, thread);
        return;
    default:
        settle(thread);
    }
}

/* ---- statuses ---------------------------------------------------------------------------------------------------- */

pid_t thread_group(pid_t tid)
{
    char path[40], line[128];
    int group = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)tid);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "Tgid: %d", &group) == 1)
            break;
    if (status)
        fclose(status);
    return group;
}

/* A child's first stop may come before its parent's word of it. */
static struct agent_thread *take_stranger(struct agent *agent, pid_t tid)
{
    struct agent_process *process = agent->process;
    pid_t group = thread_group(tid);
    while (process && process->pid != group)
        process = process->next;
    return agent_thread_add(agent, process, tid);
}

static void take_end(struct agent *agent, struct agent_thread *thread, int status)
{
    struct agent_process *process = thread->process;
    pid_t tid = thread->tid;
    if (process && process->image && process->image->stepper == thread)
        process->dirty = true; /* another may step now */
    agent_thread_remove(agent, thread);
    if (process && process->pid == tid)
        process_ended(agent, process, status);
}

/* Ends are never pending, and neither are new threads, nor an exec, which ends all the others. */
static bool can_wait(int status)
{
    int event = status >> 16;
    return event == 0 || event == PTRACE_EVENT_STOP;
}

void take_status(struct agent *agent, pid_t tid, int status)
{
    struct agent_thread *thread = agent_thread_find(agent, tid);
    bool is_end = WIFEXITED(status) || WIFSIGNALED(status);
    if (!thread && !is_end)
        thread = take_stranger(agent, tid);
    if (!thread)
        return;
    if (is_end) {
        take_end(agent, thread, status);
        return;
    }
    thread->running = thread->listening = thread->interrupted = false; /* any stop is the one that was asked for */
    thread->has_regs = false;
    if (!thread->process || (process_is_still(thread->process) && can_wait(status) && !thread->stepping)) {
        thread->pending = true;
        thread->status = status;
        if (status >> 16 == PTRACE_EVENT_STOP)
            thread->pending = !thread->process || is_job_control(WSTOPSIG(status));
        return;
    }
    take_stop(agent, thread, status);
}
