/* over.c: past a breakpoint while it stays in the code, so that no other thread passes it unseen. The instructions that functions begin
 * with are done here, by changing registers: no step, one stop a hit. Others are copied to a place of their own, the program's entry,
 * which is not executed any more, and stepped there; one thread of a process at a time. */
#include "agent/state.h"

#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- emulation --------------------------------------------------------------------------------------------------- */

enum { CARRY = 1, PARITY = 4, ADJUST = 16, ZERO = 64, SIGN = 128, OVERFLOW_ = 2048 };

/* By the number that instructions have for it. */
static unsigned long long *register_of(struct user_regs_struct *regs, unsigned number)
{
    unsigned long long *const all[16] = {&regs->rax, &regs->rcx, &regs->rdx, &regs->rbx, &regs->rsp, &regs->rbp,
                                         &regs->rsi, &regs->rdi, &regs->r8,  &regs->r9,  &regs->r10, &regs->r11,
                                         &regs->r12, &regs->r13, &regs->r14, &regs->r15};
    return all[number & 15];
}

static bool push(struct agent_thread *thread, uint64_t value)
{
    if (!image_write(thread->process->image, thread->regs.rsp - 8, &value, sizeof value))
        return false;
    thread->regs.rsp -= 8;
    return true;
}

static void set_flags(struct user_regs_struct *regs, unsigned long long set)
{
    regs->eflags &= ~(unsigned long long)(CARRY | PARITY | ADJUST | ZERO | SIGN | OVERFLOW_);
    regs->eflags |= set;
}

static unsigned long long flags_of(uint64_t result)
{
    return (result == 0 ? ZERO : 0) | (result >> 63 ? SIGN : 0) | (__builtin_parityll(result & 0xff) ? 0 : PARITY);
}

static void subtract(struct user_regs_struct *regs, int64_t amount)
{
    uint64_t a = regs->rsp, b = (uint64_t)amount, result = a - b;
    unsigned long long flags = flags_of(result);
    flags |= (a < b ? CARRY : 0) | (((a ^ b) & (a ^ result)) >> 63 ? OVERFLOW_ : 0) | ((a ^ b ^ result) & ADJUST);
    regs->rsp = result;
    set_flags(regs, flags);
}

static int32_t number_at(const uint8_t *code)
{
    int32_t number;
    memcpy(&number, code, sizeof number);
    return number;
}

/* sub $n,%rsp; mov and xor between registers. The size; 0: another instruction. */
static unsigned emulate_modrm(struct agent_thread *thread, const uint8_t *code, unsigned rex, unsigned before)
{
    struct user_regs_struct *regs = &thread->regs;
    unsigned modrm = code[1], reg = (modrm >> 3 & 7) | (rex & 4) << 1, rm = (modrm & 7) | (rex & 1) << 3;
    bool is_wide = rex & 8;
    if (is_wide && code[0] == 0x83 && modrm == 0xec && !(rex & 1)) {
        subtract(regs, (int8_t)code[2]);
        return before + 3;
    }
    if (is_wide && code[0] == 0x81 && modrm == 0xec && !(rex & 1)) {
        subtract(regs, number_at(code + 2));
        return before + 6;
    }
    if (modrm >> 6 != 3)
        return 0;
    unsigned from = code[0] == 0x8b ? rm : reg, to = code[0] == 0x8b ? reg : rm;
    if (code[0] == 0x89 || code[0] == 0x8b) {
        uint64_t value = *register_of(regs, from);
        *register_of(regs, to) = is_wide ? value : (uint32_t)value;
        return before + 2;
    }
    if (code[0] == 0x31 && reg == rm) {
        *register_of(regs, rm) = 0;
        set_flags(regs, ZERO | PARITY);
        return before + 2;
    }
    return 0;
}

static unsigned emulate(struct agent_thread *thread, const uint8_t *code)
{
    static const uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
    unsigned before = (code[0] & 0xf0) == 0x40, rex = before ? code[0] & 15 : 0;
    uint8_t op = code[before];
    if (memcmp(code, endbr64, sizeof endbr64) == 0)
        return sizeof endbr64;
    if (op == 0x90 && !before)
        return 1;
    if (op >= 0x50 && op <= 0x57) {
        unsigned number = (op & 7) | (rex & 1) << 3;
        return push(thread, *register_of(&thread->regs, number)) ? before + 1 : 0;
    }
    if (op >= 0xb8 && op <= 0xbf && !(rex & 8)) {
        *register_of(&thread->regs, (op & 7) | (rex & 1) << 3) = (uint32_t)number_at(code + before + 1);
        return before + 5;
    }
    return emulate_modrm(thread, code + before, rex, before);
}

/* ret, and the jumps that some functions are. */
static bool emulate_jump(struct agent_thread *thread, const uint8_t *code)
{
    struct user_regs_struct *regs = &thread->regs;
    uint64_t to;
    if (code[0] == 0xc3 && image_read(thread->process->image, regs->rsp, &to, sizeof to)) {
        regs->rsp += 8;
        regs->rip = to;
        return true;
    }
    if (code[0] != 0xe9 && code[0] != 0xeb)
        return false;
    regs->rip += code[0] == 0xe9 ? 5 + (uint64_t)(int64_t)number_at(code + 1) : 2 + (uint64_t)(int64_t)(int8_t)code[1];
    return true;
}

bool over_emulate(struct agent_thread *thread, const struct agent_point *point)
{
    if (point->size < INSTRUCTION_MAX) /* at the end of a mapping: rare, and stepped */
        return false;
    unsigned size = emulate(thread, point->code);
    thread->regs.rip += size;
    return size > 0 || emulate_jump(thread, point->code);
}

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
    thread->over_saved = *register_of(&thread->regs, (unsigned)base);
    *register_of(&thread->regs, (unsigned)base) = thread->over->address + ins->size;
    code[ins->modrm_at] = (uint8_t)((modrm & 0x38) | 0x80 | (unsigned)base);
    if (ins->has_rex)
        code[ins->rex_at] &= (uint8_t)~1u;
}

static void return_base(struct agent_thread *thread)
{
    if (thread->over_base >= 0)
        *register_of(&thread->regs, (unsigned)thread->over_base) = thread->over_saved;
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
    thread->over_size = ins.size;
    lend_base(thread, &ins, code);
    if (!image_read(image, image->scratch, image->kept, sizeof image->kept) || ins.size == 0 ||
        !image_write(image, image->scratch, code, ins.size)) {
        return_base(thread); /* the last resort: others may pass while it steps */
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

void over_end(struct agent_thread *thread, int signal)
{
    if (!thread_get_regs(thread))
        return;
    if (signal && !is_fault(signal)) {
        keep_signal(thread, signal);
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
