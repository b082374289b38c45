/* over.c: past a breakpoint while it stays in the code, so that no other thread passes it unseen. An instruction that emulate.c does not
 * know is copied to a place of its own, the program's entry, which is not executed any more, and stepped there; one thread of a process at
 * a time. */
#include "agent/state.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- a step in a place of its own -------------------------------------------------------------------------------- */

enum { RSI = 6, RDI = 7 };

/* An address relative to rip, which would be another one there: a register holds rip instead. One that the instruction does not name, and
 * that none uses unnamed besides an operand in memory. */
static void lend_base(struct agent_thread *thread, const struct instruction *ins, uint8_t *code)
{
    unsigned modrm = ins->modrm_at ? code[ins->modrm_at] : 0xc0;
    if ((modrm & 0xc7) != 0x05)
        return;
    int base = (modrm >> 3 & 7) == RSI ? RDI : RSI;
    thread->over_base = base;
    thread->over_saved = *emulate_register(&thread->regs, (unsigned)base);
    *emulate_register(&thread->regs, (unsigned)base) = thread->over->address + ins->size;
    code[ins->modrm_at] = (uint8_t)((modrm & 0x38) | 0x80 | (unsigned)base);
    if (ins->has_rex)
        code[ins->rex_at] &= (uint8_t)~1u;
}

static void return_base(struct agent_thread *thread)
{
    if (thread->over_base >= 0)
        *emulate_register(&thread->regs, (unsigned)thread->over_base) = thread->over_saved;
    thread->over_base = -1;
}

bool over_begin(struct agent_thread *thread, struct agent_point *point)
{
    struct agent_image *image = thread->process->image;
    struct instruction ins = decode(point->code, point->size);
    uint8_t code[INSTRUCTION_MAX];
    if (image->stepper)
        return false;
    memcpy(code, point->code, sizeof code);
    thread->makes_room = aside_wants_room(thread, point);
    if (thread->makes_room) {
        static const uint8_t system_call[] = {0x0f, 0x05};
        aside_ask_for_room(thread, point);
        memcpy(code, system_call, ins.size = sizeof system_call);
    }
    thread->over_size = ins.size;
    if (!thread->makes_room)
        lend_base(thread, &ins, code);
    if (!image_read(image, image->scratch, image->kept, sizeof image->kept) || ins.size == 0 ||
        !image_write(image, image->scratch, code, ins.size)) {
        return_base(thread); /* the last resort: others may pass while it steps */
        if (thread->makes_room)
            aside_take_room(thread, false);
        thread->makes_room = false;
        thread->over_size = 0;
        image_write(image, point->address, point->code, 1);
    } else {
        thread->regs.rip = image->scratch;
    }
    image->stepper = thread;
    thread->stepping = true;
    thread->regs_changed = true;
    thread_go(thread, true);
    return true;
}

/* A call has pushed where it would return to. */
static void mend_stack(struct agent_thread *thread, uint64_t distance)
{
    uint64_t back;
    if (!image_read(thread->process->image, thread->regs.rsp, &back, sizeof back))
        return;
    back += distance;
    image_write(thread->process->image, thread->regs.rsp, &back, sizeof back);
}

static void mend_rip(struct agent_thread *thread)
{
    const struct agent_point *point = thread->over;
    struct instruction ins = decode(point->code, point->size);
    uint8_t op = point->code[ins.opcode_at], reg = ins.modrm_at ? point->code[ins.modrm_at] >> 3 & 7 : 0;
    uint64_t distance = point->address - thread->process->image->scratch;
    bool is_one = !ins.is_two && !ins.is_vex;
    bool is_return = is_one && (op == 0xc2 || op == 0xc3), is_indirect = is_one && op == 0xff;
    if (is_one && (op == 0xe8 || (is_indirect && reg == 2)))
        mend_stack(thread, distance);
    if (!is_return && !(is_indirect && (reg == 2 || reg == 4)))
        thread->regs.rip += distance;
}

static bool is_fault(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE || signal == SIGTRAP;
}

static void leave_scratch(struct agent_thread *thread)
{
    struct agent_image *image = thread->process->image;
    if (thread->over_size > 0)
        image_write(image, image->scratch, image->kept, sizeof image->kept);
    else if (thread->over->inserted)
        image_write(image, thread->over->address, (uint8_t[]){0xcc}, 1);
    image->stepper = NULL;
    thread->stepping = false;
    thread->process->dirty = true; /* others may wait for the place */
    thread->regs_changed = true;
    return_base(thread);
}

/* What came before the step was made is delivered after it. */
static void keep_signal(struct agent_thread *thread, int signal)
{
    if (thread->has_kept)
        thread->more |= UINT64_C(1) << (signal - 1);
    else
        thread->has_kept = ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &thread->kept) == 0;
    thread_go(thread, true);
}

/* The first as it came; of others, which are rare, the sender is lost. */
static void deliver_kept(struct agent_thread *thread)
{
    thread->signal = thread->kept.si_signo;
    ptrace(PTRACE_SETSIGINFO, thread->tid, NULL, &thread->kept);
    thread->has_kept = false;
    for (int more = 1; thread->more; more++, thread->more >>= 1)
        if (thread->more & 1)
            syscall(SYS_tgkill, thread->process->pid, thread->tid, more);
}

/* The thread is where it was before, at the point, and goes on from there. */
static void end_room(struct agent_thread *thread, int signal)
{
    bool was_made = !signal && thread->regs.rip != thread->process->image->scratch;
    leave_scratch(thread);
    aside_take_room(thread, was_made);
    thread->makes_room = false;
    thread->signal = signal;
    if (thread->has_kept && !signal)
        deliver_kept(thread);
    if (!process_is_still(thread->process))
        thread_resume(thread);
}

void over_end(struct agent_thread *thread, int signal)
{
    if (!thread_get_regs(thread))
        return;
    if (signal && !is_fault(signal)) {
        keep_signal(thread, signal);
        return;
    }
    if (thread->makes_room) {
        end_room(thread, signal);
        return;
    }
    if (!signal && thread->over_size > 0 && thread->regs.rip == thread->process->image->scratch) {
        thread_go(thread, true); /* one turn of a repeated instruction was made */
        return;
    }
    leave_scratch(thread);
    if (signal && thread->over_size > 0)
        thread->regs.rip = thread->over->address;
    else if (thread->over_size > 0)
        mend_rip(thread);
    thread->signal = signal;
    if (thread->has_kept && !signal)
        deliver_kept(thread);
    thread->over = NULL;
    if (!process_is_still(thread->process))
        thread_resume(thread);
}

/* Whether or not the step was made, the thread is in its own code afterwards, and does not go on. */
void over_leave(struct agent_thread *thread)
{
    int signal = thread->signal;
    bool was_made = thread_get_regs(thread) && thread->regs.rip != thread->process->image->scratch;
    over_end(thread, was_made ? 0 : SIGTRAP);
    if (!was_made)
        thread->signal = thread->has_kept ? thread->kept.si_signo : 0;
    if (!thread->signal)
        thread->signal = signal;
}
