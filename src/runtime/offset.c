/* offset: see offset.h. */
#include "runtime/offset.h"

knell_time knell__offset_translate(struct knell__offset *offset, knell_time emitted, knell_time now)
{
    knell_time seen = now - emitted;
    if (offset->spans == 0 || now - offset->since >= KNELL__OFFSET_SPAN) {
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
