/* suggest.c: see suggest.h. */
#include "cli/common/suggest.h"
#include "util/edit_distance.h"

#include <string.h>

/* Up to a third of the letters may be wrong, and always one: "pln" suggests "plan". */
void suggestion_offer(struct suggestion *s, const char *candidate)
{
    size_t length = strlen(candidate);
    unsigned distance = knell_edit_distance(s->word, strlen(s->word), candidate, length, false);
    unsigned tolerated = length < 6 ? 1 : (unsigned)(length / 3);

    if (distance <= tolerated && (!s->best || distance < s->distance)) {
        s->best = candidate;
        s->distance = distance;
    }
}
