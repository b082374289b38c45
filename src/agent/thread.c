/* thread.c: one thread: its registers, letting it go, stopping it. A request to a thread that was killed meanwhile fails; its end is
 * reported, so nothing is done about that. */
#include "agent/state.h"

#include <sys/ptrace.h>

bool thread_get_regs(struct agent_thread *thread)
{
    if (!thread->has_regs) {
        thread->has_regs = ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->regs) == 0;
        thread->regs_changed = false;
    }
    return thread->has_regs;
}

void thread_go(struct agent_thread *thread, bool step)
{
    int signal = thread->signal;
    if (thread->has_regs && thread->regs_changed)
        ptrace(PTRACE_SETREGS, thread->tid, NULL, &thread->regs);
    thread->has_regs = thread->regs_changed = false;
    thread->signal = 0;
    thread->running = true;
    ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, thread->tid, NULL, (void *)(long)signal);
}

/* A thread that was stopped at a breakpoint is past it as soon as it was let go: the instruction under the int3 is done first. */
void thread_resume(struct agent_thread *thread)
{
    struct agent_image *image = thread->process->image;
    struct agent_point *point = thread->over;
    if (thread->watches != thread->process->watches)
        watch_give(thread);
    thread->waits = false;
    if (thread->stepping) {
        thread_go(thread, true);
        return;
    }
    if (!point || !point->inserted || !thread_get_regs(thread) || thread->regs.rip != point->address || !image) {
        thread->over = NULL;
        thread_go(thread, false);
    } else if (emulate_first(thread, point) || aside_go(thread, point)) {
        thread->over = NULL;
        thread->regs_changed = true;
        thread_go(thread, false);
    } else {
        thread->waits = !over_begin(thread, point);
    }
}

void thread_interrupt(struct agent_thread *thread)
{
    if (thread->interrupted)
        return;
    thread->interrupted = ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL) == 0;
}
