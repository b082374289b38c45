/* The optimal string alignment distance, row by row, and the choice of the nearest word. */
#include "cli/suggest.h"

#include <string.h>

enum { LONGEST = 31 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned knell__edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    unsigned d[LONGEST + 1][LONGEST + 1];

    if (n > LONGEST || m > LONGEST)
        return LONGEST + 1;
    for (size_t i = 0; i <= n; i++)
        d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            unsigned change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

            d[i][j] = least(change, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[n][m];
}

/* A third of the word may be wrong, one letter in any case: "pln" is plan, "ring" is not ping's business. */
void knell__suggestion_offer(struct knell_suggestion *s, const char *candidate)
{
    unsigned distance = knell__edit_distance(s->word, candidate);
    size_t length = strlen(candidate);
    unsigned tolerated = length < 6 ? 1 : (unsigned)(length / 3);

    if (distance <= tolerated && (!s->best || distance < s->distance)) {
        s->best = candidate;
        s->distance = distance;
    }
}
