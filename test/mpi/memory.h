/* memory.h: for tests in which memory must not grow. */
#ifndef KNELL_TEST_MPI_MEMORY_H
#define KNELL_TEST_MPI_MEMORY_H

#include "check.h"

#include <limits.h>

enum { TRIES = 3, ALLOWED_KB = 64 };

static inline long resident_kb(void)
{
    char line[128];
    long kb = -1;
    FILE *status = fopen("/proc/self/status", "r");
    CHECK(status);
    while (fgets(line, sizeof line, status))
        sscanf(line, "VmRSS: %ld", &kb);
    fclose(status);
    CHECK(kb > 0);
    return kb;
}

/* A leak takes memory at every try. The first time fills pools, and those of the MPI below may grow once more when more messages than
 * ever are under way: that is none. */
static inline void check_no_leak(const char *name, void (*repeat)(MPI_Comm comm, int times), MPI_Comm comm, int times)
{
    long least = LONG_MAX;
    repeat(comm, times);
    for (int i = 0; i < TRIES; i++) {
        long before = resident_kb();
        repeat(comm, times);
        long grown = resident_kb() - before;
        least = grown < least ? grown : least;
    }
    if (me == 0 || least > ALLOWED_KB)
        fprintf(stderr, "rank %d: %s: each %d times take %ld KiB or more\n", me, name, times, least);
    CHECK(least <= ALLOWED_KB);
}

#endif
