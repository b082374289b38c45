/* imports.h: which names a program or library takes from others, by its table of dynamic symbols; and, where code of a binding was compiled
 * into it, whether anything else calls them. By elfutils' libelf. */
#ifndef KNELL_SYMBOLS_IMPORTS_H
#define KNELL_SYMBOLS_IMPORTS_H

#include <stdbool.h>

struct imports; /* an open file */

/* NULL: it cannot be read, or is no ELF file; `why` says which. */
struct imports *imports_open(const char *path, const char **why);
void imports_close(struct imports *imports); /* accepts NULL */

/* Calls `each` for every dynamic symbol, until that returns false. Returns false if it did. */
typedef bool imports_each(void *context, const char *name, bool is_defined);
bool imports_list(const struct imports *imports, imports_each *each, void *context);

/* Do only functions whose names `is_binding` knows call the imported function `name`? false also where that cannot be seen: on other
 * processors than x86-64. */
bool imports_is_called_by(const struct imports *imports, const char *name, bool (*is_binding)(const char *name));

#endif
