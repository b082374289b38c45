/* steal.c: how much processor time the hypervisor took during the measurement. */
#include "cli/calibrate/calibrate.h"

#include <stdio.h>
#include <unistd.h>

double calibrate_steal_s(void)
{
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/stat", "re");
    if (!file)
        return 0;
    if (fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
        ticks = 0;
    fclose(file);
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

void calibrate_steal_begin(struct calibrate_steal *steal)
{
    steal->begin = steal->last = calibrate_steal_s();
}

void calibrate_steal_look(struct calibrate_steal *steal, struct calibrate_sample *sample)
{
    double now = calibrate_steal_s(), taken = now - steal->last;
    steal->last = now;
    sample->steal_s = now - steal->begin;
    sample->steal_s_most = taken > sample->steal_s_most ? taken : sample->steal_s_most;
}
