/* See calls.h. */
#include "calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI
#define LIBRARY "libmpi.so.40"
#else
#define LIBRARY "libmpich.so.12"
#endif

struct calls native;
const struct calls layer = {
#define CALL(name) .name = MPI_##name,
    CALLS(CALL)
#undef CALL
};

static void find(void *library, const char *name, void *pointer)
{
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "the MPI's own %s is not in " LIBRARY ": %s\n", name, dlerror());
        exit(1);
    }
    memcpy(pointer, &found, sizeof found);
}

void calls_find(void)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
#define CALL(name) find(library, "PMPI_" #name, &native.name);
    CALLS(CALL)
#undef CALL
}
