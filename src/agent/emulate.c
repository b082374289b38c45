/* emulate.c: the instructions that functions begin with, done by changing registers: no step, one stop a hit. What is not known here is
 * stepped (over.c). */
#include "agent/state.h"

#include <string.h>

enum { CARRY = 1, PARITY = 4, ADJUST = 16, ZERO = 64, SIGN = 128, OVERFLOW_ = 2048 };

unsigned long long *emulate_register(struct user_regs_struct *regs, unsigned number)
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

/* ---- operands in memory ------------------------------------------------------------------------------------------ */

static int64_t displacement(const uint8_t *code, unsigned mod)
{
    return mod == 1 ? (int8_t)code[0] : mod == 2 ? number_at(code) : 0;
}

/* The address that a modrm byte and what follows it name; `size` is that of these bytes, `next` the address of the next instruction less
 * that size. */
static uint64_t address_of(struct user_regs_struct *regs, const uint8_t *modrm, unsigned rex, uint64_t next,
                           unsigned *size)
{
    unsigned mod = modrm[0] >> 6, rm = modrm[0] & 7, base = rm | (rex & 1) << 3;
    uint64_t address = 0;
    *size = 1 + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
    if (rm == 5 && mod == 0) {
        *size = 5;
        return next + *size + (uint64_t)(int64_t)number_at(modrm + 1);
    }
    if (rm != 4)
        return *emulate_register(regs, base) + (uint64_t)displacement(modrm + 1, mod);
    unsigned index = (modrm[1] >> 3 & 7) | (rex & 2) << 2;
    base = (modrm[1] & 7) | (rex & 1) << 3;
    *size += 1;
    if (index != 4)
        address = *emulate_register(regs, index) << (modrm[1] >> 6);
    if ((base & 7) == 5 && mod == 0) {
        *size += 4;
        return address + (uint64_t)(int64_t)number_at(modrm + 2);
    }
    return address + *emulate_register(regs, base) + (uint64_t)displacement(modrm + 2, mod);
}

/* mov from memory and lea: 32 and 64 bits. */
static unsigned emulate_memory(struct agent_thread *thread, const uint8_t *code, unsigned rex, unsigned before)
{
    struct user_regs_struct *regs = &thread->regs;
    unsigned size, width = rex & 8 ? 8 : 4;
    uint64_t value = 0;
    if ((code[0] != 0x8b && code[0] != 0x8d) || code[1] >> 6 == 3)
        return 0;
    uint64_t address = address_of(regs, code + 1, rex, regs->rip + before + 1, &size);
    if (code[0] == 0x8d)
        value = width == 8 ? address : (uint32_t)address;
    else if (!image_read(thread->process->image, address, &value, width))
        return 0; /* the program's own fault: it is stepped into it */
    *emulate_register(regs, (code[1] >> 3 & 7) | (rex & 4) << 1) = value;
    return before + 1 + size;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

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
        uint64_t value = *emulate_register(regs, from);
        *emulate_register(regs, to) = is_wide ? value : (uint32_t)value;
        return before + 2;
    }
    if (code[0] == 0x31 && reg == rm) {
        *emulate_register(regs, rm) = 0;
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
        return push(thread, *emulate_register(&thread->regs, number)) ? before + 1 : 0;
    }
    if (op >= 0xb8 && op <= 0xbf && !(rex & 8)) {
        *emulate_register(&thread->regs, (op & 7) | (rex & 1) << 3) = (uint32_t)number_at(code + before + 1);
        return before + 5;
    }
    unsigned size = emulate_modrm(thread, code + before, rex, before);
    return size ? size : emulate_memory(thread, code + before, rex, before);
}

/* ---- jumps ------------------------------------------------------------------------------------------------------- */

static bool go_to(struct agent_thread *thread, uint64_t to, uint64_t back, bool is_call)
{
    if (is_call && !push(thread, back))
        return false;
    thread->regs.rip = to;
    return true;
}

/* By a register or memory. */
static bool emulate_indirect(struct agent_thread *thread, const uint8_t *code)
{
    struct user_regs_struct *regs = &thread->regs;
    unsigned before = (code[0] & 0xf0) == 0x40, rex = before ? code[0] & 15 : 0, size = 1;
    const uint8_t *modrm = code + before + 1;
    unsigned reg = *modrm >> 3 & 7;
    uint64_t to = *emulate_register(regs, (*modrm & 7) | (rex & 1) << 3);
    if (code[before] != 0xff || (reg != 2 && reg != 4))
        return false;
    if (*modrm >> 6 != 3) {
        uint64_t address = address_of(regs, modrm, rex, regs->rip + before + 1, &size);
        if (!image_read(thread->process->image, address, &to, sizeof to))
            return false;
    }
    return go_to(thread, to, regs->rip + before + 1 + size, reg == 2);
}

static bool holds(unsigned long long flags, unsigned condition)
{
    const bool less = !(flags & SIGN) != !(flags & OVERFLOW_);
    const bool all[8] = {flags & OVERFLOW_, flags & CARRY,  flags & ZERO, flags & (CARRY | ZERO),
                         flags & SIGN,      flags & PARITY, less,         less || flags & ZERO};
    return all[condition >> 1 & 7] != (condition & 1);
}

static uint64_t behind(const struct user_regs_struct *regs, unsigned size, int64_t distance)
{
    return regs->rip + size + (uint64_t)distance;
}

static bool emulate_jump(struct agent_thread *thread, const uint8_t *code)
{
    struct user_regs_struct *regs = &thread->regs;
    uint64_t to;
    if (code[0] == 0xc3 && image_read(thread->process->image, regs->rsp, &to, sizeof to)) {
        regs->rsp += 8;
        return go_to(thread, to, 0, false);
    }
    if (code[0] == 0xe8 || code[0] == 0xe9)
        return go_to(thread, behind(regs, 5, number_at(code + 1)), regs->rip + 5, code[0] == 0xe8);
    if (code[0] == 0xeb || (code[0] & 0xf0) == 0x70) {
        bool jumps = code[0] == 0xeb || holds(regs->eflags, code[0]);
        return go_to(thread, behind(regs, 2, jumps ? (int8_t)code[1] : 0), 0, false);
    }
    if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
        return go_to(thread, behind(regs, 6, holds(regs->eflags, code[1]) ? number_at(code + 2) : 0), 0, false);
    return emulate_indirect(thread, code);
}

bool emulate_first(struct agent_thread *thread, const struct agent_point *point)
{
    if (point->size < INSTRUCTION_MAX) /* at the end of a mapping: rare, and stepped */
        return false;
    unsigned size = emulate(thread, point->code);
    thread->regs.rip += size;
    return size > 0 || emulate_jump(thread, point->code);
}
