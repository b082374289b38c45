/* clock: see clock.h. */
#include "os/clock.h"

#include <time.h>

static knell_time read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (knell_time)time.tv_sec * 1000000000 + time.tv_nsec;
}

knell_time knell__clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

knell_time knell__clock_used(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

knell_time knell__clock_used_here(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
