/* See kib.h. */
#include "kib.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Its share of what it shares with others; 0: not known. */
static long kib_of(long pid)
{
    char path[64], line[128];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Pss: %ld", &kib) != 1)
        ;
    if (file)
        fclose(file);
    return kib;
}

/* 0: not ours, since it is no supervisor. */
static long parent_of(long pid)
{
    char path[64], line[256] = "", name[64] = "";
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (file && fgets(line, sizeof line, file))
        sscanf(line, "%*d (%*[^)]) %*c %ld", &parent);
    if (file)
        fclose(file);
    snprintf(path, sizeof path, "/proc/%ld/comm", parent);
    file = fopen(path, "re");
    if (file && fgets(name, sizeof name, file))
        name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
    return strcmp(name, "exec") == 0 ? parent : 0;
}

long kib_of_rank(void)
{
    long sum = 0;
    for (long pid = getpid(); pid; pid = parent_of(pid))
        sum += kib_of(pid);
    return sum;
}
