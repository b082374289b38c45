/* clock: see clock.h. */
#include "runtime/clock.h"

#include <time.h>

knell_time knell__clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (knell_time)now.tv_sec * 1000000000 + now.tv_nsec;
}

knell_time knell__offset_translate(struct knell__offset *offset, knell_time emitted, knell_time now)
{
    knell_time seen = now - emitted;
    if (offset->spans == 0 || now - offset->since >= KNELL__CLOCK_SPAN) {
        offset->least_last = offset->least;
        offset->spans = offset->spans == 0 ? 1 : 2;
        offset->since = now;
        offset->least = seen;
    } else if (seen < offset->least) {
        offset->least = seen;
    }
    knell_time least = offset->least;
    if (offset->spans == 2 && offset->least_last < least)
        least = offset->least_last;
    return emitted + least;
}
