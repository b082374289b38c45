/* imports.c: see imports.h. */
#include "symbols/imports.h"
#include "symbols/regular.h"

#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct imports {
    int fd;
    Elf *elf;
    Elf_Data *symbols; /* of .dynsym; NULL: a static program */
    size_t names;      /* its section of names */
    size_t count;
};

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static Elf_Scn *section_of_type(Elf *elf, Elf_Scn *after, GElf_Word type, GElf_Shdr *header)
{
    while ((after = elf_nextscn(elf, after)) != NULL)
        if (gelf_getshdr(after, header) && header->sh_type == type)
            return after;
    return NULL;
}

static void find_symbols(struct imports *imports)
{
    GElf_Shdr header;
    Elf_Scn *section = section_of_type(imports->elf, NULL, SHT_DYNSYM, &header);
    if (!section || header.sh_entsize == 0)
        return;
    imports->symbols = elf_getdata(section, NULL);
    imports->names = header.sh_link;
    imports->count = header.sh_size / header.sh_entsize;
}

struct imports *imports_open(const char *path, const char **why)
{
    struct imports *imports = calloc(1, sizeof *imports);
    *why = "cannot be read";
    if (!imports)
        return NULL;
    imports->fd = symbols_open_regular(path);
    if (imports->fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
        imports->elf = elf_begin(imports->fd, ELF_C_READ, NULL);
    if (!imports->elf || elf_kind(imports->elf) != ELF_K_ELF) {
        *why = imports->fd >= 0 ? "is not a program of machine code (ELF)" : *why;
        imports_close(imports);
        return NULL;
    }
    find_symbols(imports);
    return imports;
}

void imports_close(struct imports *imports)
{
    if (!imports)
        return;
    if (imports->elf)
        elf_end(imports->elf);
    if (imports->fd >= 0)
        close(imports->fd);
    free(imports);
}

/* ---- its symbols ------------------------------------------------------------------------------------------------- */

static const char *symbol_at(const struct imports *imports, size_t i, GElf_Sym *symbol)
{
    if (!imports->symbols || !gelf_getsym(imports->symbols, (int)i, symbol))
        return NULL;
    return elf_strptr(imports->elf, imports->names, symbol->st_name);
}

bool imports_list(const struct imports *imports, imports_each *each, void *context)
{
    for (size_t i = 1; i < imports->count; i++) {
        GElf_Sym symbol;
        const char *name = symbol_at(imports, i, &symbol);
        if (name && *name && !each(context, name, symbol.st_shndx != SHN_UNDEF))
            return false;
    }
    return true;
}

/* ---- who calls (x86-64) ------------------------------------------------------------------------------------------ */

/* Code at its address, as an offset from it. */
struct code {
    const uint8_t *bytes;
    size_t size;
    uint64_t address;
};

/* The next section with code; false: there is none. */
static bool next_code(const struct imports *imports, Elf_Scn **section, struct code *code)
{
    GElf_Shdr header;
    while ((*section = section_of_type(imports->elf, *section, SHT_PROGBITS, &header)) != NULL) {
        const Elf_Data *data = header.sh_flags & SHF_EXECINSTR ? elf_getdata(*section, NULL) : NULL;
        if (data && data->d_buf) {
            *code = (struct code){data->d_buf, data->d_size, header.sh_addr};
            return true;
        }
    }
    return false;
}

/* Where an instruction that ends with a distance at `at` leads. */
static uint64_t target_of(const struct code *code, size_t at)
{
    int32_t distance;
    memcpy(&distance, code->bytes + at, sizeof distance);
    return code->address + at + 4 + (uint64_t)(int64_t)distance;
}

/* The slot in the table of addresses through which `name` is called; 0: none, or a table of the program has its address too. */
static uint64_t slot_of(const struct imports *imports, const char *name)
{
    uint64_t slot = 0;
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = section_of_type(imports->elf, section, SHT_RELA, &header)) != NULL;) {
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && header.sh_entsize && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Rela to;
            GElf_Sym symbol;
            if (!gelf_getrela(data, (int)i, &to))
                continue;
            const char *named = symbol_at(imports, GELF_R_SYM(to.r_info), &symbol);
            if (!named || strcmp(named, name) != 0)
                continue;
            if (GELF_R_TYPE(to.r_info) != R_X86_64_JUMP_SLOT && GELF_R_TYPE(to.r_info) != R_X86_64_GLOB_DAT)
                return 0;
            slot = to.r_offset;
        }
    }
    return slot;
}

/* The stub that jumps through the slot: jmp *slot(%rip). 0: none. */
static uint64_t stub_of(const struct imports *imports, uint64_t slot)
{
    struct code code;
    for (Elf_Scn *section = NULL; next_code(imports, &section, &code);)
        for (size_t i = 0; i + 6 <= code.size; i++)
            if (code.bytes[i] == 0xff && code.bytes[i + 1] == 0x25 && target_of(&code, i + 2) == slot)
                return code.address + i;
    return 0;
}

/* Is this address inside a function that the binding brought with it? */
static bool is_in_binding(const struct imports *imports, uint64_t address, bool (*is_binding)(const char *name))
{
    for (size_t i = 1; i < imports->count; i++) {
        GElf_Sym symbol;
        const char *name = symbol_at(imports, i, &symbol);
        if (name && symbol.st_shndx != SHN_UNDEF && address - symbol.st_value < symbol.st_size && is_binding(name))
            return true;
    }
    return false;
}

/* call stub, jmp stub (the stub may begin with endbr64 or bnd), call *slot(%rip), and taking its address: mov, lea. */
static bool leads_to(const struct code *code, size_t i, uint64_t slot, uint64_t stub)
{
    const uint8_t *byte = code->bytes + i;
    if (i + 5 <= code->size && (byte[0] == 0xe8 || byte[0] == 0xe9))
        return stub && stub - target_of(code, i + 1) <= 5;
    if (i + 6 <= code->size && byte[0] == 0xff && (byte[1] == 0x15 || byte[1] == 0x25))
        return target_of(code, i + 2) == slot && code->address + i != stub;
    return i + 7 <= code->size && (byte[0] & 0xfb) == 0x48 && byte[1] == 0x8b && (byte[2] & 0xc7) == 0x05 &&
           target_of(code, i + 3) == slot;
}

bool imports_is_called_by(const struct imports *imports, const char *name, bool (*is_binding)(const char *name))
{
    GElf_Ehdr header;
    if (!gelf_getehdr(imports->elf, &header) || header.e_machine != EM_X86_64)
        return false;
    uint64_t slot = slot_of(imports, name), stub = slot ? stub_of(imports, slot) : 0;
    struct code code;
    for (Elf_Scn *section = NULL; slot && next_code(imports, &section, &code);)
        for (size_t i = 0; i + 5 <= code.size; i++)
            if (leads_to(&code, i, slot, stub) && !is_in_binding(imports, code.address + i, is_binding))
                return false;
    return slot != 0;
}
