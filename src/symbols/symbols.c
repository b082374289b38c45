/* symbols.c: see symbols.h. One session of libdwfl for each file, opened at the first question about it and kept. */
#include "symbols/symbols.h"
#include "symbols/regular.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUILD_ID_MAX = 64 };

/* A file as somebody knew it: the same path with another build id is another one, as a program may be built again meanwhile. */
struct file {
    struct file *next;
    Dwfl *session;
    Dwfl_Module *module; /* NULL: it cannot be read */
    bool changed;
    uint8_t build_id[BUILD_ID_MAX];
    size_t build_id_size;
    char path[];
};

struct symbols {
    struct file *files;
};

/* By build id alone. dwfl_standard_find_debuginfo would also ask the servers in DEBUGINFOD_URLS, which some distributions set for
 * everybody: a job's report waits for no network, and tells nobody what runs. */
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_build_id_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

struct symbols *symbols_open(void)
{
    return calloc(1, sizeof(struct symbols));
}

void symbols_close(struct symbols *symbols)
{
    while (symbols && symbols->files) {
        struct file *file = symbols->files;

        symbols->files = file->next;
        if (file->session)
            dwfl_end(file->session);
        free(file);
    }
    free(symbols);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void load(struct file *file)
{
    int fd = symbols_open_regular(file->path);

    if (fd < 0)
        return;
    file->session = dwfl_begin(&callbacks);
    if (file->session) {
        dwfl_report_begin(file->session);
        file->module = dwfl_report_elf(file->session, file->path, file->path, fd, 0, true);
        dwfl_report_end(file->session, NULL, NULL);
    }
    if (!file->module)
        close(fd); /* else it is the session's */
}

static bool is_changed(const struct file *file)
{
    const unsigned char *bits;
    GElf_Addr where;
    int size = file->module ? dwfl_module_build_id(file->module, &bits, &where) : 0;

    if (!file->module || file->build_id_size == 0)
        return false;
    return size < 0 || (size_t)size != file->build_id_size || memcmp(bits, file->build_id, file->build_id_size) != 0;
}

static struct file *add_file(struct symbols *symbols, const char *path, const uint8_t *build_id, size_t build_id_size)
{
    size_t length = strlen(path) + 1;
    struct file *file = calloc(1, sizeof *file + length);

    if (!file)
        return NULL;
    memcpy(file->path, path, length);
    if (build_id_size > 0)
        memcpy(file->build_id, build_id, build_id_size);
    file->build_id_size = build_id_size;
    load(file);
    file->changed = is_changed(file);
    file->next = symbols->files;
    symbols->files = file;
    return file;
}

static struct file *get_file(struct symbols *symbols, const char *path, const uint8_t *build_id, size_t build_id_size)
{
    if (build_id_size > BUILD_ID_MAX)
        build_id_size = BUILD_ID_MAX;
    for (struct file *file = symbols->files; file; file = file->next)
        if (strcmp(file->path, path) == 0 && file->build_id_size == build_id_size &&
            (build_id_size == 0 || memcmp(file->build_id, build_id, build_id_size) == 0))
            return file;
    return add_file(symbols, path, build_id, build_id_size);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The compilation unit of an address. Where the compiler writes no .debug_aranges (clang), libdw 0.188 finds none: then it is searched
 * for. */
static Dwarf_Die *unit_of(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) == 1)
            return unit;
    return NULL;
}

static bool put_line(Dwfl_Module *module, Dwarf_Addr address, char *text, size_t size)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = unit_of(module, address, &bias);
    Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *source = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number;

    if (!source || dwarf_lineno(line, &number) != 0 || number <= 0) /* 0: made by the compiler, from no line */
        return false;
    snprintf(text, size, "%s:%d", base_name(source), number);
    return true;
}

static bool put_symbol(Dwfl_Module *module, Dwarf_Addr address, unsigned after, char *text, size_t size)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);

    if (!name || !*name)
        return false;
    snprintf(text, size, "%s+0x%" PRIx64, name, (uint64_t)offset + after);
    return true;
}

void symbols_place(struct symbols *symbols, const char *path, const uint8_t *build_id, size_t build_id_size,
                   uint64_t offset, bool is_return_address, char *text, size_t size)
{
    struct file *file = get_file(symbols, path, build_id, build_id_size);
    unsigned after = is_return_address && offset > 0;

    if (file && file->module && !file->changed &&
        (put_line(file->module, offset - after, text, size) ||
         put_symbol(file->module, offset - after, after, text, size)))
        return;
    snprintf(text, size, "%s+0x%" PRIx64 "%s", base_name(path), offset,
             file && file->changed ? " (the file has changed)" : "");
}
