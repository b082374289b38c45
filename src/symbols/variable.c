/* variable.c: see variable.h. */
#include "symbols/variable.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>

/* ---- the symbol table -------------------------------------------------------------------------------------------- */

static const struct symbols_entry *find_symbol(const struct symbols_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct symbols_entry *entry = &table->entry[i];
        if (strncmp(entry->name, name, length) == 0 && entry->name[length] == '\0' &&
            (entry->kind == SYMBOLS_VARIABLE || entry->kind == SYMBOLS_OF_THREAD))
            return entry;
    }
    return NULL;
}

/* ---- the debug information --------------------------------------------------------------------------------------- */

static int take_module(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start, void *argument)
{
    (void)user, (void)name, (void)start;
    *(Dwfl_Module **)argument = module;
    return DWARF_CB_ABORT;
}

/* A variable of the file, not of a function; one that is defined, not declared. */
static bool is_it(Dwarf_Die *die, const char *name, size_t length)
{
    const char *its = dwarf_diename(die);
    return dwarf_tag(die) == DW_TAG_variable && its && strncmp(its, name, length) == 0 && its[length] == '\0' &&
           dwarf_hasattr_integrate(die, DW_AT_location);
}

static bool find_die(const struct symbols_table *table, const char *name, size_t length, Dwarf_Die *found)
{
    Dwfl_Module *module = NULL;
    Dwarf_Addr bias;
    dwfl_getmodules(table->session, take_module, &module, 0);
    for (Dwarf_Die *unit = NULL; module && (unit = dwfl_module_nextcu(module, unit, &bias)) != NULL;) {
        if (dwarf_child(unit, found) != 0)
            continue;
        do {
            if (is_it(found, name, length))
                return true;
        } while (dwarf_siblingof(found, found) == 0);
    }
    return false;
}

/* Its type without names, const and volatile. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Die named;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, &named) &&
           dwarf_peel_type(&named, type) == 0;
}

static bool find_member(Dwarf_Die *type, const char *name, size_t length, Dwarf_Die *found)
{
    if (dwarf_child(type, found) != 0)
        return false;
    do {
        const char *its = dwarf_diename(found);
        if (dwarf_tag(found) == DW_TAG_member && its && strncmp(its, name, length) == 0 && its[length] == '\0')
            return true;
    } while (dwarf_siblingof(found, found) == 0);
    return false;
}

static bool add_step(struct symbols_variable *found, uint64_t offset, bool follows)
{
    if (found->steps == SYMBOLS_STEPS_MAX)
        return false;
    found->step[found->steps++] = (struct symbols_step){offset, follows};
    return true;
}

/* From a variable to the member that the rest of the name says; `die` and `type` become the member's. */
static bool go_on(Dwarf_Die *die, Dwarf_Die *type, const char *rest, struct symbols_variable *found, char *why,
                  size_t size)
{
    while (*rest == '.') {
        size_t length = strcspn(++rest, ".");
        Dwarf_Attribute attribute;
        Dwarf_Word offset = 0;
        if (dwarf_tag(type) == DW_TAG_pointer_type && (!type_of(type, type) || !add_step(found, 0, true))) {
            snprintf(why, size, "points to nothing that has members");
            return false;
        }
        if (!find_member(type, rest, length, die)) {
            snprintf(why, size, "has no member %.*s", (int)length, rest);
            return false;
        }
        if (dwarf_hasattr(die, DW_AT_data_bit_offset) || dwarf_hasattr(die, DW_AT_bit_size)) {
            snprintf(why, size, "is a field of bits");
            return false;
        }
        if (dwarf_attr(die, DW_AT_data_member_location, &attribute))
            dwarf_formudata(&attribute, &offset);
        if (!add_step(found, offset, false) || !type_of(die, type))
            return false;
        rest += length;
    }
    return true;
}

static bool take_type(Dwarf_Die *type, struct symbols_variable *found, char *why, size_t size)
{
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = DW_ATE_unsigned, bytes = 8;
    int tag = dwarf_tag(type);
    if (tag != DW_TAG_base_type && tag != DW_TAG_pointer_type && tag != DW_TAG_enumeration_type) {
        snprintf(why, size, "is no number: name one of its members");
        return false;
    }
    if (dwarf_attr(type, DW_AT_encoding, &attribute))
        dwarf_formudata(&attribute, &encoding);
    if (dwarf_attr(type, DW_AT_byte_size, &attribute))
        dwarf_formudata(&attribute, &bytes);
    found->type = encoding == DW_ATE_float                                      ? SYMBOLS_REAL
                  : encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ? SYMBOLS_SIGNED
                                                                                : SYMBOLS_UNSIGNED;
    found->size = (unsigned)bytes;
    return true;
}

static bool has_size(const struct symbols_variable *found, char *why, size_t size)
{
    if (found->size == 1 || found->size == 2 || found->size == 4 || found->size == 8)
        return true;
    snprintf(why, size, "has %u bytes: numbers have 1, 2, 4 or 8", found->size);
    return false;
}

bool symbols_variable_find(const struct symbols_table *table, const char *name, struct symbols_variable *found,
                           char *why, size_t why_size)
{
    size_t length = strcspn(name, ".");
    const struct symbols_entry *symbol = find_symbol(table, name, length);
    Dwarf_Die die, type;
    snprintf(why, why_size, "is not there");
    if (!symbol)
        return false;
    if (symbol->kind == SYMBOLS_OF_THREAD) {
        snprintf(why, why_size, "is a variable that every thread has for itself");
        return false;
    }
    *found =
        (struct symbols_variable){.address = symbol->address, .size = (unsigned)symbol->size, .type = SYMBOLS_SIGNED};
    if (find_die(table, name, length, &die) && type_of(&die, &type))
        return go_on(&die, &type, name + length, found, why, why_size) && take_type(&type, found, why, why_size) &&
               has_size(found, why, why_size);
    if (name[length] == '.') {
        snprintf(why, why_size, "has members only in the debug information, which the file has not (cc -g)");
        return false;
    }
    return has_size(found, why, why_size);
}
