/* stacks.c: see stacks.h. A stack that was seen before is found by its addresses in a table; a new one is written once. */
#include "mpi/record/stacks.h"
#include "mpi/base/layer.h"
#include "mpi/base/lock.h"

#include <execinfo.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 2 * JOB_RECORD_STACKS, DEEP = 48 };

/* LOCK_RECORD where there are threads. */
static struct {
    struct job_record_head *head;
    bool whole;
    uint32_t slot[SLOTS]; /* number + 1 of the stack with this hash; 0: free */
    /* Calls that return there come from inside the MPI or the layer. By address; 0: free. */
    uintptr_t through[64];
} stacks;

static void enter(void)
{
    if (self.threads)
        lock_take(LOCK_RECORD);
}

static void leave(void)
{
    if (self.threads)
        lock_give(LOCK_RECORD);
}

/* ---- modules ---------------------------------------------------------------------------------------------------------------- */

static void find_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * segment, struct job_record_module *module)
{
    const uint8_t *at = (const uint8_t *)(info->dlpi_addr + segment->p_vaddr), *end = at + segment->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const void *)at;
        const uint8_t *name = at + sizeof *note, *bytes = name + ((size_t)note->n_namesz + 3) / 4 * 4;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
            note->n_descsz <= JOB_RECORD_BUILD_ID) {
            module->build_id_size = note->n_descsz;
            memcpy(module->build_id, bytes, note->n_descsz);
            return;
        }
        at = bytes + ((size_t)note->n_descsz + 3) / 4 * 4;
    }
}

static int add_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    uint32_t number = atomic_load(&stacks.head->modules);
    (void)size, (void)unused;
    if (number == JOB_RECORD_MODULES)
        return 1;
    struct job_record_module *module = &stacks.head->module[number];
    *module = (struct job_record_module){.base = info->dlpi_addr, .begin = UINT64_MAX};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t begin = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_NOTE)
            find_build_id(info, segment, module);
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        module->begin = begin < module->begin ? begin : module->begin;
        module->end = begin + segment->p_memsz > module->end ? begin + segment->p_memsz : module->end;
    }
    if (!info->dlpi_name[0] && readlink("/proc/self/exe", module->path, sizeof module->path - 1) < 0)
        module->path[0] = '\0';
    if (info->dlpi_name[0])
        strncpy(module->path, info->dlpi_name, sizeof module->path - 1);
    atomic_store(&stacks.head->modules, number + 1);
    return 0;
}

static const struct job_record_module *module_of(uintptr_t address)
{
    for (uint32_t i = 0; i < atomic_load(&stacks.head->modules); i++)
        if (address >= stacks.head->module[i].begin && address < stacks.head->module[i].end)
            return &stacks.head->module[i];
    return NULL;
}

/* Plugins are loaded later: then all modules are listed again. */
static const struct job_record_module *find_module(uintptr_t address)
{
    const struct job_record_module *found = module_of(address);
    if (found)
        return found;
    atomic_store(&stacks.head->modules, 0);
    dl_iterate_phdr(add_module, NULL);
    return module_of(address);
}

/* The MPI's own libraries, and this one. */
static bool is_mpi(uintptr_t address)
{
    static const char *const names[] = {"libknell-mpi", "libmpi", "libpmpi", "libopen-", "libfmpich"};
    const struct job_record_module *module = find_module(address);
    const char *name = module ? strrchr(module->path, '/') : NULL;
    name = name ? name + 1 : "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* ---- stacks ----------------------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t add(const struct job_record_stack *stack, uint32_t *slot)
{
    uint32_t number = atomic_load(&stacks.head->stacks);
    if (number == JOB_RECORD_STACKS)
        return JOB_RECORD_STACKS - 1;
    for (uint32_t i = 0; i < stack->frames; i++)
        find_module((uintptr_t)stack->frame[i]);
    stacks.head->stack[number] = *stack;
    atomic_store(&stacks.head->stacks, number + 1);
    *slot = number + 1;
    return number;
}

static bool is(uint32_t number, const struct job_record_stack *stack)
{
    const struct job_record_stack *known = &stacks.head->stack[number];
    return known->frames == stack->frames &&
           memcmp(known->frame, stack->frame, stack->frames * sizeof *stack->frame) == 0;
}

static uint32_t number_of(const struct job_record_stack *stack)
{
    uint64_t hash = stack->frames;
    for (uint32_t i = 0; i < stack->frames; i++)
        hash = mix(hash, stack->frame[i]);
    size_t at = hash >> 40;
    while (stacks.slot[at % SLOTS] && !is(stacks.slot[at % SLOTS] - 1, stack))
        at++;
    uint32_t *slot = &stacks.slot[at % SLOTS];
    return *slot ? *slot - 1 : add(stack, slot);
}

/* From the first frame outside the MPI on. */
static void walk(struct job_record_stack *stack)
{
    void *frame[DEEP];
    int count = backtrace(frame, DEEP), first = 0;
    while (first < count && is_mpi((uintptr_t)frame[first]))
        first++;
    for (; first < count && stack->frames < (stacks.whole ? JOB_RECORD_FRAMES : 1); first++)
        stack->frame[stack->frames++] = (uintptr_t)frame[first];
}

/* Does a call that returns there come from inside the MPI? */
static bool comes_through(uintptr_t from)
{
    enum { MOST = sizeof stacks.through / sizeof *stacks.through };
    size_t at = mix(0, from) >> 58;
    if (stacks.through[at] == from)
        return true;
    if (!is_mpi(from))
        return false;
    stacks.through[at % MOST] = from;
    return true;
}

/* The usual case: a site of the program that is known. */
static bool known_site(uintptr_t from, uint32_t *number)
{
    struct job_record_stack stack;
    stack.frames = 1;
    stack.frame[0] = from;
    size_t at = mix(1, from) >> 40;
    while (stacks.slot[at % SLOTS] && !is(stacks.slot[at % SLOTS] - 1, &stack))
        at++;
    *number = stacks.slot[at % SLOTS] - 1;
    return stacks.slot[at % SLOTS] != 0;
}

uint32_t stacks_find(const void *from)
{
    struct job_record_stack stack = {.frames = 0};
    uint32_t number;
    enter();
    if (stacks.whole || !from || !known_site((uintptr_t)from, &number)) {
        if (stacks.whole || !from || comes_through((uintptr_t)from))
            walk(&stack);
        else
            stack.frame[stack.frames++] = (uintptr_t)from;
        number = number_of(&stack);
    }
    leave();
    return number;
}

/* The first backtrace loads a library: now, and not in the middle of a call. */
void stacks_start(struct job_record_head *head, bool whole)
{
    void *frame[2];
    stacks.head = head;
    stacks.whole = whole;
    backtrace(frame, 2);
    dl_iterate_phdr(add_module, NULL);
}
