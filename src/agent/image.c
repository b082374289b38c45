/* image.c: an address space. Which files are mapped is read from /proc, not from the loader's list: that way it also works for static
 * programs, for files in another mount namespace and for other loaders. The loader's debugger hook says when to look again. */
#include "agent/state.h"
#include "symbols/table.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Of a running process too. Code is written through /proc/PID/mem, which does not mind that it is read-only. */
bool image_read(const struct agent_image *image, uint64_t address, void *bytes, size_t size)
{
    return pread(image->memory, bytes, size, (off_t)address) == (ssize_t)size;
}

bool image_write(const struct agent_image *image, uint64_t address, const void *bytes, size_t size)
{
    return pwrite(image->memory, bytes, size, (off_t)address) == (ssize_t)size;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static uint64_t entry_of(pid_t pid)
{
    char path[40];
    Elf64_auxv_t item;
    uint64_t entry = 0;
    snprintf(path, sizeof path, "/proc/%ld/auxv", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && read(fd, &item, sizeof item) == (ssize_t)sizeof item && item.a_type != AT_NULL)
        if (item.a_type == AT_ENTRY)
            entry = item.a_un.a_val;
    if (fd >= 0)
        close(fd);
    return entry;
}

struct agent_image *image_open(pid_t pid)
{
    char path[40];
    struct agent_image *image = calloc(1, sizeof *image);
    if (!image)
        return NULL;
    snprintf(path, sizeof path, "/proc/%ld/mem", (long)pid);
    image->users = 1;
    image->pid = pid;
    image->memory = open(path, O_RDWR | O_CLOEXEC);
    image->scratch = entry_of(pid);
    return image;
}

void image_close(struct agent_image *image)
{
    if (!image || --image->users > 0)
        return;
    for (unsigned i = 0; i < image->points; i++) {
        free(image->point[i]->function);
        free(image->point[i]);
    }
    if (image->memory >= 0)
        close(image->memory);
    free(image->point);
    free(image->module);
    free(image->variable);
    free(image);
}

struct agent_image *image_copy(const struct agent_image *image, pid_t pid)
{
    struct agent_image *copy = image_open(pid);
    for (unsigned i = 0; copy && i < image->points; i++) {
        if (!image->point[i]->inserted)
            continue;
        struct agent_point *point = point_add(copy, image->point[i]->address);
        if (point) {
            memcpy(point->code, image->point[i]->code, sizeof point->code);
            point->inserted = true;
        }
    }
    return copy;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool image_library_is(const char *library, const char *path)
{
    const char *name = base_name(path);
    size_t length = strlen(library);
    if (strncmp(name, library, length) != 0)
        return false;
    return name[length] == '\0' || strncmp(name + length, ".so", 3) == 0 ||
           (length > 3 && strcmp(library + length - 3, ".so") == 0 && name[length] == '.');
}

/* It has functions of its own by names of libc's; they are meant only if it is named. */
bool image_is_loader(const struct symbols_table *table)
{
    return symbols_table_find(table, LOADER_HOOK) < table->count;
}

static bool note_function(struct agent_point *point, uint32_t function, const char *symbol)
{
    uint32_t *more = realloc(point->function, (point->functions + 1) * sizeof *more);
    if (!more)
        return false;
    point->function = more;
    for (unsigned i = 0; i < point->functions; i++)
        if (point->function[i] == function)
            return true;
    point->function[point->functions++] = function;
    if (!point->symbol)
        point->symbol = symbol;
    else if (strcmp(point->symbol, symbol) != 0 && !point->alias)
        point->alias = symbol;
    return true;
}

static void add_points(struct agent_image *image, const struct agent_module *module, uint32_t function,
                       const char *name)
{
    const struct symbols_table *table = module->file->table;
    for (size_t i = symbols_table_find(table, name); symbols_table_is(table, i, name); i++) {
        if (table->entry[i].kind != SYMBOLS_FUNCTION)
            continue;
        struct agent_point *point = point_add(image, table->entry[i].address + module->bias);
        if (point)
            note_function(point, function, table->entry[i].name);
    }
}

static void add_hook(struct agent_image *image, const struct agent_module *module)
{
    const struct symbols_table *table = module->file->table;
    size_t i = symbols_table_find(table, LOADER_HOOK);
    struct agent_point *point = i < table->count ? point_add(image, table->entry[i].address + module->bias) : NULL;
    if (point) {
        point->armed |= POINT_LOADER;
        point_settle(image, point);
    }
}

static void add_names(const struct agent *agent, struct agent_image *image, const struct agent_module *module)
{
    const struct knell_fail_program *program = agent->config.program;
    if (!module->file->table)
        return;
    add_hook(image, module);
    for (uint32_t i = 0; i < knell_fail_function_count(program); i++) {
        struct knell_fail_function function = knell_fail_function_at(program, i);
        if (function.library ? image_library_is(function.library, module->file->path)
                             : !image_is_loader(module->file->table))
            add_points(image, module, i, function.symbol);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

struct mapping {
    uint64_t start, end, offset, device, inode;
    char path[PATH_MAX];
};

/* A line of /proc/PID/maps of a file's code. */
static bool parse_mapping(const char *line, struct mapping *m)
{
    unsigned major, minor;
    char rights[5] = "";
    m->path[0] = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %4095[^\n]", &m->start, &m->end, rights,
               &m->offset, &major, &minor, &m->inode, m->path) < 7)
        return false;
    m->device = (uint64_t)major << 32 | minor;
    return rights[2] == 'x' && m->inode != 0 && m->path[0] == '/';
}

/* As the process sees it; it may live in another mount namespace. */
static struct symbols_table *open_table(pid_t pid, const char *path)
{
    char there[PATH_MAX + 32];
    snprintf(there, sizeof there, "/proc/%ld/root%s", (long)pid, path);
    struct symbols_table *table = symbols_table_open(there);
    return table ? table : symbols_table_open(path);
}

static struct agent_file *get_file(struct agent *agent, pid_t pid, const struct mapping *m)
{
    for (struct agent_file *file = agent->files; file; file = file->next)
        if (file->inode == m->inode && file->device == m->device && strcmp(file->path, m->path) == 0)
            return file;
    size_t length = strlen(m->path) + 1;
    struct agent_file *file = calloc(1, sizeof *file + length);
    if (!file)
        return NULL;
    memcpy(file->path, m->path, length);
    file->device = m->device;
    file->inode = m->inode;
    file->table = open_table(pid, m->path);
    file->next = agent->files;
    agent->files = file;
    return file;
}

static struct agent_module *find_module(const struct agent_image *image, const struct agent_file *file, uint64_t start)
{
    for (unsigned i = 0; i < image->modules; i++)
        if (image->module[i].file == file && image->module[i].start == start)
            return &image->module[i];
    return NULL;
}

/* Libraries that were unloaded took our breakpoints with them; what lies there now is something else. */
static void forget_gone(struct agent_image *image)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < image->modules; i++) {
        if (image->module[i].is_mapped)
            image->module[kept++] = image->module[i];
        else
            point_forget(image, image->module[i].start, image->module[i].end);
    }
    image->modules = kept;
}

static void add_module(struct agent *agent, struct agent_image *image, const struct mapping *m)
{
    struct agent_file *file = get_file(agent, image->pid, m);
    struct agent_module *known = file ? find_module(image, file, m->start) : NULL;
    if (known)
        known->is_mapped = true;
    if (!file || !file->table || known)
        return;
    struct agent_module *more = realloc(image->module, (image->modules + 1) * sizeof *more);
    if (!more)
        return;
    image->module = more;
    struct agent_module *module = &image->module[image->modules++];
    *module = (struct agent_module){file, m->start - m->offset - file->table->skew, m->start, m->end, true};
    add_names(agent, image, module);
}

void image_look(struct agent *agent, struct agent_image *image)
{
    char path[40], *line = NULL;
    size_t room = 0;
    struct mapping m;
    const struct knell_fail_program *program = agent->config.program;
    if (knell_fail_function_count(program) + knell_fail_variable_count(program) == 0)
        return;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)image->pid);
    for (unsigned i = 0; i < image->modules; i++)
        image->module[i].is_mapped = false;
    FILE *maps = fopen(path, "re");
    while (maps && getline(&line, &room, maps) > 0)
        if (parse_mapping(line, &m))
            add_module(agent, image, &m);
    free(line);
    if (maps)
        fclose(maps);
    forget_gone(image);
    free(image->variable); /* they may be elsewhere now */
    image->variable = NULL;
}
