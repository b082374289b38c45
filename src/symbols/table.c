/* table.c: see table.h. */
#include "symbols/table.h"
#include "symbols/regular.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Debug files by build id alone, as in symbols.c: no server is asked. */
static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_build_id_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

static Dwfl_Module *load(const char *path, Dwfl *session)
{
    int fd = symbols_open_regular(path);
    if (fd < 0)
        return NULL;
    dwfl_report_begin(session);
    Dwfl_Module *module = dwfl_report_elf(session, path, path, fd, 0, true);
    dwfl_report_end(session, NULL, NULL);
    if (!module)
        close(fd); /* else it is the session's */
    return module;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static bool kind_of(const GElf_Sym *symbol, enum symbols_kind *kind)
{
    switch (GELF_ST_TYPE(symbol->st_info)) {
    case STT_FUNC:
        *kind = SYMBOLS_FUNCTION;
        return true;
    case STT_GNU_IFUNC:
        *kind = SYMBOLS_CHOSEN;
        return true;
    case STT_OBJECT:
    case STT_COMMON:
        *kind = SYMBOLS_VARIABLE;
        return true;
    case STT_TLS:
        *kind = SYMBOLS_OF_THREAD;
        return true;
    default:
        return false;
    }
}

static int by_name(const void *a, const void *b)
{
    const struct symbols_entry *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->address > y->address) - (x->address < y->address);
}

static void forget(struct symbols_entry *entry)
{
    if (entry->is_own)
        free((char *)entry->name);
}

/* The same symbol is in the table of the file and among the dynamic ones. */
static void drop_doubles(struct symbols_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++)
        if (kept == 0 || by_name(&table->entry[kept - 1], &table->entry[i]) != 0)
            table->entry[kept++] = table->entry[i];
        else
            forget(&table->entry[i]);
    table->count = kept;
}

/* "f@@VERSION" is f. */
static bool add(struct symbols_table *table, const char *name, uint64_t address, const GElf_Sym *symbol)
{
    struct symbols_entry entry = {.name = name, .address = address, .size = symbol->st_size};
    if (!name || !*name || *name == '@' || symbol->st_shndx == SHN_UNDEF || !kind_of(symbol, &entry.kind))
        return true;
    if (strchr(name, '@')) {
        entry.name = strndup(name, strcspn(name, "@"));
        entry.is_own = true;
        if (!entry.name)
            return false;
    }
    table->entry[table->count++] = entry;
    return true;
}

/* Where there is a full table, libdwfl gives no others: but that of a debug file may lack names that the file exports. */
static Elf_Scn *dynamic_symbols(Elf *elf, GElf_Shdr *header)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;)
        if (gelf_getshdr(section, header) && header->sh_type == SHT_DYNSYM && header->sh_entsize > 0)
            return section;
    return NULL;
}

static bool fill_dynamic(struct symbols_table *table, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    for (size_t i = 1; data && i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) &&
            !add(table, elf_strptr(elf, header->sh_link, symbol.st_name), symbol.st_value, &symbol))
            return false;
    }
    return true;
}

static bool fill_full(struct symbols_table *table, Dwfl_Module *module, int count)
{
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, &section, NULL, NULL);
        if (name && section != SHN_UNDEF && !add(table, name, address, &symbol))
            return false;
    }
    return true;
}

static bool fill(struct symbols_table *table, Dwfl_Module *module)
{
    GElf_Addr bias;
    GElf_Shdr header = {0};
    Elf *elf = dwfl_module_getelf(module, &bias);
    Elf_Scn *dynamic = elf ? dynamic_symbols(elf, &header) : NULL;
    int count = dwfl_module_getsymtab(module);
    size_t room = (count > 0 ? (size_t)count : 0) + (dynamic ? header.sh_size / header.sh_entsize : 0) + 1;
    table->entry = calloc(room, sizeof *table->entry);
    if (!table->entry || !fill_full(table, module, count) || !fill_dynamic(table, elf, dynamic, &header))
        return false;
    qsort(table->entry, table->count, sizeof *table->entry, by_name);
    drop_doubles(table);
    return true;
}

static void read_skew(struct symbols_table *table, Dwfl_Module *module)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(module, &bias);
    size_t count = 0;
    if (!elf || elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD && header.p_flags & PF_X) {
            table->skew = header.p_vaddr - header.p_offset;
            return;
        }
    }
}

struct symbols_table *symbols_table_open(const char *path)
{
    struct symbols_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->session = dwfl_begin(&callbacks);
    Dwfl_Module *module = table->session ? load(path, table->session) : NULL;
    if (module && fill(table, module)) {
        read_skew(table, module);
        return table;
    }
    symbols_table_close(table);
    return NULL;
}

void symbols_table_close(struct symbols_table *table)
{
    if (!table)
        return;
    if (table->session)
        dwfl_end(table->session);
    for (size_t i = 0; i < table->count; i++)
        forget(&table->entry[i]);
    free(table->entry);
    free(table);
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

static size_t letters(const char *name, bool *is_family)
{
    size_t length = strlen(name);
    *is_family = length > 0 && name[length - 1] == '*';
    return length - *is_family;
}

size_t symbols_table_find(const struct symbols_table *table, const char *name)
{
    bool is_family;
    size_t length = letters(name, &is_family), low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order =
            is_family ? strncmp(table->entry[middle].name, name, length) : strcmp(table->entry[middle].name, name);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return symbols_table_is(table, low, name) ? low : table->count;
}

bool symbols_table_is(const struct symbols_table *table, size_t i, const char *name)
{
    bool is_family;
    size_t length = letters(name, &is_family);
    if (i >= table->count)
        return false;
    return (is_family ? strncmp(table->entry[i].name, name, length) : strcmp(table->entry[i].name, name)) == 0;
}
