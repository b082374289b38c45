/* calls_place.c: where calls come from: the keys of stacks and their words; see calls.h. */
#include "record/calls_place.h"

#include "symbols/symbols.h"

#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* A return address may be the first one after its file, when what it called never returns. */
static const struct job_record_module *module_of(const struct job_record_head *head, uint32_t modules, uint64_t address)
{
    for (uint32_t i = 0; i < modules; i++)
        if (address > head->module[i].begin && address <= head->module[i].end)
            return &head->module[i];
    return NULL;
}

static bool is_of_mpi(const struct job_record_module *module)
{
    static const char *const prefix[] = {"libmpi", "libopen-", "libmpich", "libknell-mpi"};
    const char *name = base_name(module->path);

    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
            return true;
    return false;
}

/* FNV-1a. */
static uint64_t hash(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* A frame in no known file has an address of this run alone: all such are one place. */
static uint64_t hash_frame(uint64_t sum, const struct job_record_module *module, uint64_t address)
{
    const char *name = module ? base_name(module->path) : "?";
    uint64_t offset = module ? address - module->base : 0;

    return hash(hash(sum, name, strlen(name) + 1), &offset, sizeof offset);
}

void record_calls_find_places(const struct job_record_head *head, uint32_t modules, uint32_t stacks,
                              struct record_calls_places *places)
{
    const uint64_t start = UINT64_C(0xcbf29ce484222325);

    for (uint32_t s = 0; s < stacks; s++) {
        const struct job_record_stack *stack = &head->stack[s];
        uint64_t sum = start;

        places->site[s] = JOB_RECORD_FRAMES;
        for (uint32_t i = 0; i < stack->frames; i++) {
            const struct job_record_module *module = module_of(head, modules, stack->frame[i]);

            if (module && is_of_mpi(module))
                continue;
            sum = hash_frame(sum, module, stack->frame[i]);
            if (!module || places->site[s] < JOB_RECORD_FRAMES)
                continue;
            places->site[s] = i;
            places->site_key[s] = hash_frame(start, module, stack->frame[i]) | 1; /* 0 means none */
        }
        places->stack_key[s] = sum | 1;
    }
}

uint64_t record_calls_stack_key(const struct record_calls *calls, uint32_t stack)
{
    return stack < calls->stacks ? calls->stack_key[stack] : 0;
}

uint64_t record_calls_site_key(const struct record_calls *calls, uint32_t stack)
{
    return stack < calls->stacks ? calls->site_key[stack] : 0;
}

void record_calls_site_text(const struct record_calls *calls, struct symbols *symbols, uint32_t stack, char *text,
                            size_t size)
{
    const struct job_record_module *module;
    uint64_t address;

    if (stack >= calls->stacks || calls->site[stack] >= JOB_RECORD_FRAMES) {
        snprintf(text, size, "?");
        return;
    }
    address = calls->head->stack[stack].frame[calls->site[stack]];
    module = module_of(calls->head, calls->modules, address);
    symbols_place(symbols, module->path, module->build_id, module->build_id_size, address - module->base, true, text,
                  size);
}
