/* watch.c: watch($x) by the debug registers of the processor, of which every thread has four. */
#include "agent/state.h"
#include "symbols/variable.h"

#include <stddef.h>
#include <sys/ptrace.h>

enum { CONTROL = 7, STATE = 6, WRITES = 1 };

static void *place_of(unsigned number)
{
    return (void *)(offsetof(struct user, u_debugreg) + number * sizeof(((struct user *)NULL)->u_debugreg[0]));
}

static unsigned long control_of(unsigned number, unsigned size)
{
    unsigned long length = size == 8 ? 2 : size - 1;
    return 1ul << 2 * number | ((unsigned long)WRITES | length << 2) << (16 + 4 * number);
}

/* The kernel refuses an address under an old length: the registers are switched off first. */
void watch_give(struct agent_thread *thread)
{
    const struct agent_process *process = thread->process;
    unsigned long control = 0;
    if (thread->watches == process->watches)
        return;
    ptrace(PTRACE_POKEUSER, thread->tid, place_of(CONTROL), NULL);
    for (unsigned i = 0; i < WATCHES_MAX; i++) {
        const struct agent_watch *watch = &process->watch[i];
        if (watch->variable != KNELL_FAIL_NO_SUBJECT &&
            ptrace(PTRACE_POKEUSER, thread->tid, place_of(i), (void *)watch->address) == 0)
            control |= control_of(i, watch->size);
    }
    ptrace(PTRACE_POKEUSER, thread->tid, place_of(CONTROL), (void *)control);
    thread->watches = process->watches;
}

void watch_clear(struct agent_process *process)
{
    for (unsigned i = 0; i < WATCHES_MAX; i++) {
        if (process->watch[i].variable != KNELL_FAIL_NO_SUBJECT)
            process->watches++;
        process->watch[i].variable = KNELL_FAIL_NO_SUBJECT;
    }
}

static bool prepare(const struct agent *agent, const struct agent_process *process, uint32_t variable,
                    struct agent_watch *watch)
{
    const struct symbols_variable *symbol;
    *watch = (struct agent_watch){.variable = variable};
    if (!variable_locate(agent, process->image, variable, &watch->address, &symbol))
        return false;
    watch->size = symbol->size;
    return variable_value(agent, process->image, variable, &watch->value);
}

/* Threads that run are stopped for a moment: registers are given to those that are stopped. */
void watch_set(struct agent *agent, struct agent_process *process)
{
    unsigned count = 0;
    watch_clear(process);
    for (uint32_t i = 0; i < process->probes; i++) {
        uint32_t variable = process->probe[i].subject;
        if (process->probe[i].type != KNELL_FAIL_WATCH)
            continue;
        if (count == WATCHES_MAX || !prepare(agent, process, variable, &process->watch[count]))
            agent_say(agent, false, "%s cannot be watched in process %ld%s",
                      knell_fail_variable_at(agent->config.program, variable), (long)process->pid,
                      count == WATCHES_MAX ? ": a processor watches four variables at most" : "");
        else
            count++;
    }
    process->watches += count > 0;
    for (struct agent_thread *thread = process->thread; thread; thread = thread->next)
        if (thread->watches != process->watches && thread->running)
            thread_interrupt(thread);
}

static void look_at(struct agent *agent, struct agent_process *process, unsigned number)
{
    struct agent_watch *watch = &process->watch[number];
    int64_t value;
    if (watch->variable == KNELL_FAIL_NO_SUBJECT || !variable_value(agent, process->image, watch->variable, &value) ||
        value == watch->value)
        return;
    watch->value = value;
    effect_feed(agent, process, (struct knell_fail_event){.type = KNELL_FAIL_WATCH, .subject = watch->variable});
}

bool watch_take(struct agent *agent, struct agent_thread *thread)
{
    long state = ptrace(PTRACE_PEEKUSER, thread->tid, place_of(STATE), NULL);
    if (!(state & 15))
        return false;
    ptrace(PTRACE_POKEUSER, thread->tid, place_of(STATE), NULL);
    thread->process->dirty = true;
    for (unsigned i = 0; i < WATCHES_MAX; i++)
        if (state & 1 << i && thread->process->loaded)
            look_at(agent, thread->process, i);
    return true;
}
