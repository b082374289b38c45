/* The choice of the nearest word. */
#include "cli/common/suggest.h"
#include "util/edit_distance.h"

#include <string.h>

/* A third of the word may be wrong, one letter in any case: "pln" is plan, "ring" is not ping's business. */
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
