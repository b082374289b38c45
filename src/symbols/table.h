/* table.h: the functions and variables that one file defines, by their names: its symbol table, that of its debug file, and the dynamic
 * symbols. Reading a large library takes up to 50 ms: keep the table. By elfutils' libdw. */
#ifndef KNELL_SYMBOLS_TABLE_H
#define KNELL_SYMBOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbols_kind {
    SYMBOLS_FUNCTION,
    SYMBOLS_CHOSEN, /* a function whose code the loader chooses: the address is that of the chooser */
    SYMBOLS_VARIABLE,
    SYMBOLS_OF_THREAD, /* a variable that every thread has for itself */
};

struct symbols_entry {
    const char *name;
    uint64_t address; /* as the file counts */
    uint64_t size;    /* 0: not known */
    enum symbols_kind kind;
    bool is_own; /* the name was made here: without its version */
};

struct symbols_table {
    struct symbols_entry *entry; /* ordered by name, then by address; each pair once */
    size_t count;
    uint64_t skew; /* of its code: addresses less offsets in the file */
    void *session; /* keeps the names */
};

/* NULL: it cannot be read. */
struct symbols_table *symbols_table_open(const char *path);
void symbols_table_close(struct symbols_table *table); /* accepts NULL */

/* The first entry of this name, or that begins with it if it ends in a star; the others follow it. table->count: there is none. */
size_t symbols_table_find(const struct symbols_table *table, const char *name);
/* Is this entry one of those? */
bool symbols_table_is(const struct symbols_table *table, size_t i, const char *name);

#endif
