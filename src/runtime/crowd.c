/* crowd.c: see crowd.h. */
#include "runtime/crowd.h"

#include <string.h>
#include <unistd.h>

enum { SIZE = KNELL__CROWD_SETS * sizeof(cpu_set_t) };

/* Where the kernel does not tell: on all that there are. */
static void take_all(cpu_set_t *set)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    CPU_ZERO_S(SIZE, set);
    for (long i = 0; i < processors; i++)
        CPU_SET_S((size_t)i, SIZE, set);
}

void knell__crowd_begin(struct knell__crowd *crowd)
{
    memset(crowd, 0, sizeof *crowd);
    if (sched_getaffinity(0, SIZE, crowd->mine) != 0)
        take_all(crowd->mine);
}

void knell__crowd_add(struct knell__crowd *crowd, pid_t pid)
{
    cpu_set_t its[KNELL__CROWD_SETS], both[KNELL__CROWD_SETS];
    if (sched_getaffinity(pid, SIZE, its) != 0)
        memcpy(its, crowd->mine, sizeof its);
    CPU_AND_S(SIZE, both, its, crowd->mine);
    if (CPU_COUNT_S(SIZE, both) == 0)
        return;
    CPU_OR_S(SIZE, crowd->all, crowd->all, its);
    crowd->processes++;
}

int knell__crowd_processors(const struct knell__crowd *crowd)
{
    int processors = CPU_COUNT_S(SIZE, crowd->all);
    return processors > 0 ? processors : 1;
}
