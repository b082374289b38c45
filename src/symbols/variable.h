/* variable.h: where a variable of a program is, and of which type: x by the symbol table, config.depth and list.next.value by the debug
 * information, which also knows types. A dot follows a pointer. */
#ifndef KNELL_SYMBOLS_VARIABLE_H
#define KNELL_SYMBOLS_VARIABLE_H

#include "symbols/table.h"

enum symbols_type { SYMBOLS_SIGNED, SYMBOLS_UNSIGNED, SYMBOLS_REAL };
enum { SYMBOLS_STEPS_MAX = 32 };

struct symbols_step {
    uint64_t offset;
    bool follows; /* what is there is the address to go on from */
};

struct symbols_variable {
    uint64_t address; /* as the file counts */
    unsigned size;    /* 1, 2, 4 or 8 */
    enum symbols_type type;
    unsigned steps;
    struct symbols_step step[SYMBOLS_STEPS_MAX];
};

/* False: `why` says in words that there is none, or why it is of no use, as the end of a sentence. */
bool symbols_variable_find(const struct symbols_table *table, const char *name, struct symbols_variable *found,
                           char *why, size_t why_size);

#endif
