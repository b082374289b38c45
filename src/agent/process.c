/* process.c: processes, and how they come to the slots of the scenario. Whatever a started process starts is followed: through forks,
 * scripts and launchers, until a program of the scenario's is loaded. */
#include "agent/state.h"

#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

struct agent_process *process_add(struct agent *agent, pid_t pid)
{
    struct agent_process *process = calloc(1, sizeof *process);
    if (!process)
        return NULL;
    process->pid = pid;
    process->instance = NO_SLOT;
    process->rank = -1;
    process->percent = 100;
    for (unsigned i = 0; i < WATCHES_MAX; i++)
        process->watch[i].variable = KNELL_FAIL_NO_SUBJECT;
    process->next = agent->process;
    agent->process = process;
    agent->processes++;
    return process;
}

void process_remove(struct agent *agent, struct agent_process *process)
{
    struct agent_process **at = &agent->process;
    while (*at != process)
        at = &(*at)->next;
    *at = process->next;
    agent->processes--;
    while (process->thread)
        agent_thread_remove(agent, process->thread);
    image_close(process->image);
    free(process->probe);
    free(process);
}

/* If we are killed, what we started is killed. So is a process that we attached to, if our breakpoints are in its code: it would die of
 * the first one that it comes to. */
unsigned long process_options(const struct agent *agent, const struct agent_process *process)
{
    bool dies = process->started || knell_fail_function_count(agent->config.program) > 0;
    return PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
           (dies ? PTRACE_O_EXITKILL : 0);
}

/* ---- stopping and going on --------------------------------------------------------------------------------------- */

static void hold(struct agent_process *process)
{
    for (struct agent_thread *thread = process->thread; thread; thread = thread->next)
        if (thread->running)
            thread_interrupt(thread);
}

/* The first stopped thread that can go on; one that waits for its turn to step cannot. */
static struct agent_thread *next_stopped(const struct agent_process *process)
{
    bool is_busy = process->image && process->image->stepper;
    for (struct agent_thread *thread = process->thread; thread; thread = thread->next)
        if (!thread->running && !thread->listening && (!thread->waits || !is_busy))
            return thread;
    return NULL;
}

/* What a thread has reported meanwhile may hold the process again, or end some of its threads. */
void process_settle(struct agent *agent, struct agent_process *process)
{
    struct agent_thread *thread;
    process->dirty = false;
    while (!process_is_still(process) && (thread = next_stopped(process)) != NULL) {
        if (thread->pending) {
            thread->pending = false;
            take_stop(agent, thread, thread->status);
            if (!thread->running && !thread->listening && thread->waits)
                continue;
            if (process->dirty)
                return; /* to be settled again, after what came of it */
        } else {
            thread_resume(thread);
        }
    }
    if (process_is_still(process))
        hold(process);
}

/* ---- fork and end ------------------------------------------------------------------------------------------------ */

static void forked(struct agent *agent, struct agent_process *parent, struct agent_thread *thread, bool shares_memory)
{
    struct agent_process *child = process_add(agent, thread->tid);
    if (!child)
        return;
    child->started = parent->started;
    agent_thread_adopt(child, thread);
    if (parent->image && shares_memory) {
        child->image = parent->image;
        child->image->users++;
    } else if (parent->image) {
        child->image = image_copy(parent->image, child->pid);
        if (child->image)
            point_take_out_all(child->image);
    }
    child->dirty = true;
}

void process_forked(struct agent *agent, struct agent_process *parent, pid_t tid, bool shares_memory)
{
    struct agent_thread *thread = agent_thread_find(agent, tid);
    pid_t group = thread_group(tid);
    if (!thread && !group)
        return; /* its end was heard of before its beginning */
    if (!thread)
        thread = agent_thread_add(agent, NULL, tid);
    if (!thread || thread->process)
        return;
    if (group != tid)
        agent_thread_adopt(parent, thread);
    else
        forked(agent, parent, thread, shares_memory);
    parent->dirty = true;
}

static void note_end(struct agent *agent, const struct agent_process *process, int status)
{
    struct agent_ended *ended = process->is_child ? calloc(1, sizeof *ended) : NULL;
    if (!ended)
        return;
    *ended = (struct agent_ended){agent->ended, process->pid, status, process->halted};
    agent->ended = ended;
}

void process_ended(struct agent *agent, struct agent_process *process, int status)
{
    bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (process->instance != NO_SLOT && process->loaded)
        effect_feed(agent, process, (struct knell_fail_event){.type = well ? KNELL_FAIL_ONEXIT : KNELL_FAIL_ONERROR});
    else if (process->instance != NO_SLOT)
        agent->slot[process->instance] = NULL;
    note_end(agent, process, status);
    process_remove(agent, process);
}

/* ---- exec -------------------------------------------------------------------------------------------------------- */

/* All other threads are gone; the one that is left has the number of the process. */
void process_exec(struct agent *agent, struct agent_thread *thread)
{
    struct agent_process *process = thread->process;
    for (struct agent_thread *other = process->thread, *next; other; other = next) {
        next = other->next;
        if (other != thread)
            agent_thread_remove(agent, other);
    }
    if (process->image && process->image->users == 1)
        point_forget(process->image, 0, UINT64_MAX);
    hit_drop_frames(thread);
    thread->over = NULL;
    thread->stepping = thread->waits = thread->pending = false;
    image_close(process->image);
    process->image = image_open(process->pid);
    process->probes = UINT32_MAX;
    process->watches = thread->watches = 0;
    process->dirty = true;
    process_load(agent, process);
}
