/* hit.c: a thread at a breakpoint. The entry of a function that the scenario waits for, the return of one, or the loader's hook. */
#include "agent/state.h"

#include <stdlib.h>

/* ---- which event ------------------------------------------------------------------------------------------------- */

/* The scenario's name of the function that the process waits for; one with a library says more than one without. */
static uint32_t subject_of(const struct agent *agent, const struct agent_process *process,
                           const struct agent_point *point, enum knell_fail_event_type type)
{
    uint32_t found = KNELL_FAIL_NO_SUBJECT;
    for (unsigned i = 0; i < point->functions; i++) {
        struct knell_fail_probe probe = {type, point->function[i]};
        if (!knell_fail_is_armed(agent->world, process->instance, probe))
            continue;
        if (knell_fail_function_at(agent->config.program, point->function[i]).library)
            return point->function[i];
        if (found == KNELL_FAIL_NO_SUBJECT)
            found = point->function[i];
    }
    return found;
}

static void feed_call(struct agent *agent, struct agent_thread *thread, const struct agent_point *point,
                      enum knell_fail_event_type type)
{
    const struct user_regs_struct *regs = &thread->regs;
    const int64_t arguments[] = {(int64_t)regs->rdi, (int64_t)regs->rsi, (int64_t)regs->rdx,
                                 (int64_t)regs->rcx, (int64_t)regs->r8,  (int64_t)regs->r9};
    uint32_t subject = subject_of(agent, thread->process, point, type);
    if (subject == KNELL_FAIL_NO_SUBJECT)
        return;
    effect_feed(agent, thread->process,
                (struct knell_fail_event){
                    .type = type,
                    .subject = subject,
                    .symbol = point->symbol,
                    .alias = point->alias,
                    .arguments = arguments,
                    .argument_count = type == KNELL_FAIL_BEFORE ? sizeof arguments / sizeof *arguments : 0,
                });
}

/* ---- calls and returns ------------------------------------------------------------------------------------------- */

static void pop_frame(struct agent_thread *thread)
{
    struct agent_frame *frame = thread->frame;
    struct agent_image *image = thread->process ? thread->process->image : NULL;
    thread->frame = frame->outer;
    if (frame->back->returns > 0)
        frame->back->returns--;
    if (image)
        point_settle(image, frame->back);
    free(frame);
}

void hit_drop_frames(struct agent_thread *thread)
{
    while (thread->frame)
        pop_frame(thread);
}

/* Calls that were left by longjmp() or an exception: the stack is above them. */
static void drop_left_frames(struct agent_thread *thread)
{
    while (thread->frame && thread->frame->stack < thread->regs.rsp)
        pop_frame(thread);
}

static void push_frame(struct agent_thread *thread, struct agent_point *function)
{
    struct agent_image *image = thread->process->image;
    struct agent_frame *frame = calloc(1, sizeof *frame);
    uint64_t back;
    if (frame && image_read(image, thread->regs.rsp, &back, sizeof back))
        frame->back = point_add(image, back);
    if (!frame || !frame->back) {
        free(frame);
        return;
    }
    frame->function = function;
    frame->stack = thread->regs.rsp + 8;
    frame->outer = thread->frame;
    thread->frame = frame;
    frame->back->returns++;
    point_settle(image, frame->back);
}

/* One that has come back to where it was called from. */
static void take_return(struct agent *agent, struct agent_thread *thread, const struct agent_point *point)
{
    drop_left_frames(thread);
    if (!thread->frame || thread->frame->stack != thread->regs.rsp || thread->frame->back != point)
        return;
    const struct agent_point *function = thread->frame->function;
    pop_frame(thread);
    feed_call(agent, thread, function, KNELL_FAIL_AFTER);
}

/* ---- hits -------------------------------------------------------------------------------------------------------- */

static void look_again(struct agent *agent, struct agent_process *process)
{
    image_look(agent, process->image);
    process->probes = UINT32_MAX; /* not known: arm all of it */
    effect_arm(agent, process);
}

/* The thread goes on when its process is settled, if that is not held. */
void hit_take(struct agent *agent, struct agent_thread *thread, struct agent_point *point)
{
    struct agent_process *process = thread->process;
    thread->over = point;
    process->dirty = true;
    if (!process->loaded)
        return;
    agent->counters.hits++;
    if (point->armed & POINT_LOADER)
        look_again(agent, process);
    if (point->returns > 0)
        take_return(agent, thread, point);
    if (point->armed & POINT_AFTER)
        push_frame(thread, point);
    if (point->armed & POINT_BEFORE)
        feed_call(agent, thread, point, KNELL_FAIL_BEFORE);
}
