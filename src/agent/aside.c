/* aside.c: past a breakpoint with one stop, for instructions that emulate.c does not know: a copy of the instruction in memory of its own, followed by
 * a jump to the next one. The thread goes on there, and nobody waits for it. A copy is written once and stays as long as the address space:
 * threads may be in it at any time.
 *
 * The memory is made by the program itself, whose thread executes one mmap() where others are stepped (over.c). Calls and jumps are left
 * to over.c, and all of it where system calls are filtered. */
#include "agent/state.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

enum { COPY_SIZE = 32, AREA_SIZE = 1 << 16, JUMP_NEAR = 5, JUMP_FAR = 14 };

/* ---- which ------------------------------------------------------------------------------------------------------- */

/* What depends on where it is by more than an operand in memory. */
static bool is_branch(const struct agent_point *point, const struct instruction *ins)
{
    uint8_t op = point->code[ins->opcode_at], modrm = ins->modrm_at ? point->code[ins->modrm_at] : 0;
    unsigned reg = modrm >> 3 & 7;
    if (ins->is_vex)
        return false;
    if (ins->is_two)
        return op >= 0x80 && op <= 0x8f;
    return (op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3) || op == 0xe8 || op == 0xe9 || op == 0xeb ||
           (op >= 0xc2 && op <= 0xc3) || (op >= 0xca && op <= 0xcf) || op == 0xf1 ||
           (op == 0xff && reg >= 2 && reg <= 5) || ((op == 0xc6 || op == 0xc7) && modrm == 0xf8);
}

static bool is_relative(const struct agent_point *point, const struct instruction *ins)
{
    return ins->modrm_at && (point->code[ins->modrm_at] & 0xc7) == 0x05;
}

static bool is_near(uint64_t a, uint64_t b)
{
    int64_t distance = (int64_t)(a - b);
    return distance > -(INT64_C(1) << 30) && distance < INT64_C(1) << 30;
}

static bool can_copy(const struct agent_point *point, struct instruction *ins)
{
    *ins = decode(point->code, point->size);
    return ins->size > 0 && point->size == INSTRUCTION_MAX && !is_branch(point, ins);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* One with room, and near enough; NULL: there is none. */
static struct agent_area *find_area(struct agent_image *image, const struct agent_point *point, bool must_be_near)
{
    for (unsigned i = 0; i < image->areas; i++)
        if (image->area[i].used + COPY_SIZE <= AREA_SIZE &&
            (!must_be_near || is_near(image->area[i].address, point->address)))
            return &image->area[i];
    return NULL;
}

bool aside_wants_room(const struct agent_thread *thread, const struct agent_point *point)
{
    struct agent_image *image = thread->process->image;
    struct instruction ins;
    if (image->areas == AREAS_MAX || image->has_no_areas || !can_copy(point, &ins) ||
        find_area(image, point, is_relative(point, &ins)))
        return false;
    image->has_no_areas = status_number(image->pid, "Seccomp") > 0; /* it could die of the call */
    return !image->has_no_areas;
}

/* Below the file that the point lies in; the kernel takes another place if that is not free. */
void aside_ask_for_room(struct agent_thread *thread, const struct agent_point *point)
{
    struct agent_image *image = thread->process->image;
    struct user_regs_struct *regs = &thread->regs;
    uint64_t start = point->address;
    for (unsigned i = 0; i < image->modules; i++)
        if (point->address >= image->module[i].start && point->address < image->module[i].end)
            start = image->module[i].start;
    thread->before_room = *regs;
    regs->rax = SYS_mmap;
    regs->rdi = (start - (1u << 20)) & ~(uint64_t)(AREA_SIZE - 1);
    regs->rsi = AREA_SIZE;
    regs->rdx = PROT_READ | PROT_EXEC;
    regs->r10 = MAP_PRIVATE | MAP_ANONYMOUS;
    regs->r8 = (unsigned long long)-1;
    regs->r9 = 0;
}

/* An area that is not near is kept for instructions that need none; if there is no area, it is not asked again. */
void aside_take_room(struct agent_thread *thread, bool was_made)
{
    struct agent_image *image = thread->process->image;
    uint64_t address = thread->regs.rax;
    if (was_made && address < (uint64_t)-4096)
        image->area[image->areas++] = (struct agent_area){address, 0};
    else
        image->has_no_areas = true;
    thread->regs = thread->before_room;
    thread->regs_changed = true;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void put_jump(uint8_t *at, uint64_t from, uint64_t to)
{
    static const uint8_t far[6] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *0(%rip): the address follows */
    int32_t distance = (int32_t)(to - from - JUMP_NEAR);
    if (is_near(from, to)) {
        at[0] = 0xe9;
        memcpy(at + 1, &distance, sizeof distance);
    } else {
        memcpy(at, far, sizeof far);
        memcpy(at + sizeof far, &to, sizeof to);
    }
}

/* The operand stays where it is. */
static bool move_operand(uint8_t *code, const struct instruction *ins, uint64_t from, uint64_t to)
{
    int32_t offset;
    memcpy(&offset, code + ins->modrm_at + 1, sizeof offset);
    int64_t moved = offset + (int64_t)(from - to);
    offset = (int32_t)moved;
    memcpy(code + ins->modrm_at + 1, &offset, sizeof offset);
    return offset == moved;
}

static void make_copy(struct agent_image *image, struct agent_point *point)
{
    struct instruction ins;
    uint8_t code[COPY_SIZE] = {0};
    if (!can_copy(point, &ins))
        return;
    bool relative = is_relative(point, &ins);
    struct agent_area *area = find_area(image, point, relative);
    if (!area)
        return;
    uint64_t at = area->address + area->used;
    memcpy(code, point->code, ins.size);
    if (relative && !move_operand(code, &ins, point->address, at))
        return;
    put_jump(code + ins.size, at + ins.size, point->address + ins.size);
    if (!image_write(image, at, code, sizeof code))
        return;
    area->used += COPY_SIZE;
    point->aside = at;
}

bool aside_go(struct agent_thread *thread, struct agent_point *point)
{
    if (!point->aside)
        make_copy(thread->process->image, point);
    if (point->aside)
        thread->regs.rip = point->aside;
    return point->aside != 0;
}

/* A fault is the program's own, at the place that it knows. */
void aside_mend(struct agent_thread *thread)
{
    const struct agent_image *image = thread->process->image;
    if (!image || image->areas == 0 || !thread_get_regs(thread))
        return;
    for (unsigned i = 0; i < image->points; i++)
        if (image->point[i]->aside && image->point[i]->aside == thread->regs.rip) {
            thread->regs.rip = image->point[i]->address;
            thread->regs_changed = true;
            return;
        }
}
