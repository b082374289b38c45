/* check.c: are the scenario's names in a program? Asked before the program runs; see agent.h. */
#include "agent/state.h"
#include "util/edit_distance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIMILAR_MAX = 3, FILES_MAX = 256 };

struct tables {
    struct symbols_table *table[FILES_MAX];
    char *const *files;
    unsigned count;
};

/* ---- what is similar --------------------------------------------------------------------------------------------- */

struct similar {
    const char *name[SIMILAR_MAX];
    unsigned distance[SIMILAR_MAX];
    unsigned count;
};

static bool has(const struct similar *s, const char *name)
{
    for (unsigned i = 0; i < s->count; i++)
        if (strcmp(s->name[i], name) == 0)
            return true;
    return false;
}

/* The nearest first. Up to a third of the letters may be wrong. */
static void offer(struct similar *s, const char *word, const char *name)
{
    size_t length = strlen(name), letters = strlen(word);
    size_t gap = length > letters ? length - letters : letters - length;
    unsigned at;
    if (gap > letters / 3 + 1)
        return;
    unsigned distance = knell_edit_distance(word, letters, name, length, true);
    if (distance > letters / 3 + 1 || has(s, name))
        return;
    for (at = s->count; at > 0 && s->distance[at - 1] > distance; at--)
        continue;
    if (at == SIMILAR_MAX)
        return;
    s->count += s->count < SIMILAR_MAX;
    for (unsigned i = s->count - 1; i > at; i--) {
        s->name[i] = s->name[i - 1];
        s->distance[i] = s->distance[i - 1];
    }
    s->name[at] = name;
    s->distance[at] = distance;
}

static bool is_kind(const struct symbols_entry *entry, bool variable)
{
    return variable ? entry->kind == SYMBOLS_VARIABLE : entry->kind == SYMBOLS_FUNCTION;
}

/* The program's own names, then, if none is similar, those of its libraries. */
static void add_similar(const struct tables *tables, const char *word, bool variable, char *why)
{
    struct similar similar = {0};
    size_t used = strlen(why);
    for (unsigned i = 0; i < tables->count && (similar.count == 0 || i == 0); i++)
        for (size_t k = 0; tables->table[i] && k < tables->table[i]->count; k++)
            if (is_kind(&tables->table[i]->entry[k], variable))
                offer(&similar, word, tables->table[i]->entry[k].name);
    for (unsigned i = 0; i < similar.count && used < AGENT_WHY; i++)
        used += (size_t)snprintf(why + used, AGENT_WHY - used, "%s%s'%s'",
                                 i == 0                   ? "; did you mean "
                                 : i + 1 == similar.count ? " or "
                                                          : ", ",
                                 variable ? "$" : "", similar.name[i]);
    if (similar.count > 0 && used < AGENT_WHY)
        snprintf(why + used, AGENT_WHY - used, "?");
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

enum found { NOWHERE, CHOSEN, THERE };

/* Of a name that has several meanings in one file, that which the loader chooses counts: an old version may be the other. */
static enum found find_in(const struct symbols_table *table, const char *name)
{
    bool is_there = false, is_chosen = false, is_family = name[strlen(name) - 1] == '*';
    for (size_t i = symbols_table_find(table, name); symbols_table_is(table, i, name); i++) {
        is_there |= table->entry[i].kind == SYMBOLS_FUNCTION;
        is_chosen |= table->entry[i].kind == SYMBOLS_CHOSEN;
    }
    return is_there && (is_family || !is_chosen) ? THERE : is_chosen ? CHOSEN : NOWHERE;
}

/* In a library that may come later: it is there for all we know. */
static enum found find_function(const struct tables *tables, struct knell_fail_function function)
{
    enum found found = NOWHERE;
    bool is_loaded = !function.library;
    for (unsigned i = 0; i < tables->count && found != THERE; i++) {
        if (function.library ? !image_library_is(function.library, tables->files[i])
                             : tables->table[i] && image_is_loader(tables->table[i]))
            continue;
        is_loaded = true;
        enum found here = tables->table[i] ? find_in(tables->table[i], function.symbol) : NOWHERE;
        found = here > found ? here : found;
    }
    return is_loaded ? found : THERE;
}

static bool check_function(const struct tables *tables, struct knell_fail_function function, char why[AGENT_WHY])
{
    enum found found = find_function(tables, function);
    if (found == THERE)
        return true;
    if (found == CHOSEN) {
        snprintf(why, AGENT_WHY,
                 "function %.80s is chosen by the loader among several: name the one that runs (nm -D shows them)",
                 function.symbol);
        return false;
    }
    snprintf(why, AGENT_WHY, "there is no function %.80s in %.120s%s", function.symbol,
             function.library ? function.library : tables->files[0],
             function.library ? "" : " or its libraries (one that is loaded later: LIB:FUNCTION)");
    add_similar(tables, function.symbol, false, why);
    return false;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static bool check_variable(const struct tables *tables, const char *name, char why[AGENT_WHY])
{
    struct symbols_variable found;
    char reason[128] = "is not there", best[128] = "";
    char word[128];
    for (unsigned i = 0; i < tables->count; i++) {
        if (tables->table[i] && symbols_variable_find(tables->table[i], name + 1, &found, reason, sizeof reason))
            return true;
        if (tables->table[i] && strcmp(reason, "is not there") != 0 && !*best)
            memcpy(best, reason, sizeof best);
    }
    if (*best) {
        snprintf(why, AGENT_WHY, "%.100s %s", name, best);
        return false;
    }
    snprintf(why, AGENT_WHY, "there is no variable %.100s in %.120s or its libraries", name, tables->files[0]);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name + 1, "."), name + 1);
    add_similar(tables, word, true, why);
    return false;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static bool check(const struct knell_fail_program *program, uint32_t place, const struct tables *tables,
                  char why[AGENT_WHY])
{
    for (uint32_t i = 0; i < knell_fail_function_count(program); i++)
        if (knell_fail_place_calls(program, place, i) &&
            !check_function(tables, knell_fail_function_at(program, i), why))
            return false;
    for (uint32_t i = 0; i < knell_fail_variable_count(program); i++)
        if (knell_fail_place_touches(program, place, i) &&
            !check_variable(tables, knell_fail_variable_at(program, i), why))
            return false;
    if (knell_fail_watches(program) <= WATCHES_MAX)
        return true;
    snprintf(why, AGENT_WHY, "a node watches %u variables; a processor watches four at most",
             knell_fail_watches(program));
    return false;
}

static bool names_anything(const struct knell_fail_program *program, uint32_t place)
{
    for (uint32_t i = 0; i < knell_fail_function_count(program); i++)
        if (knell_fail_place_calls(program, place, i))
            return true;
    for (uint32_t i = 0; i < knell_fail_variable_count(program); i++)
        if (knell_fail_place_touches(program, place, i))
            return true;
    return false;
}

bool agent_check_names(const struct knell_fail_program *program, uint32_t place, char *const *files, unsigned count,
                       char why[AGENT_WHY])
{
    if (!names_anything(program, place))
        return true;
    struct tables *tables = calloc(1, sizeof *tables);
    if (!tables)
        return true;
    tables->files = files;
    tables->count = count < FILES_MAX ? count : FILES_MAX;
    for (unsigned i = 0; i < tables->count; i++)
        tables->table[i] = symbols_table_open(files[i]);
    bool fine = tables->count == 0 || !tables->table[0] || check(program, place, tables, why); /* a script: not known */
    for (unsigned i = 0; i < tables->count; i++)
        symbols_table_close(tables->table[i]);
    free(tables);
    return fine;
}
