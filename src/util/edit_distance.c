/* The optimal string alignment distance, with three rows of its table at a time. */
#include "util/edit_distance.h"

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static char fold(char c, bool any_case)
{
    return any_case && c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

uint32_t knell_edit_distance(const char *a, size_t n, const char *b, size_t m, bool any_case)
{
    uint32_t rows[3][KNELL_EDIT_LONGEST + 1];
    uint32_t *before = rows[0], *above = rows[1], *row = rows[2];
    char last = 0; /* a[i - 2] */

    if (n > KNELL_EDIT_LONGEST || m > KNELL_EDIT_LONGEST)
        return UINT32_MAX;
    for (size_t j = 0; j <= m; j++)
        above[j] = before[j] = (uint32_t)j;
    for (size_t i = 1; i <= n; i++) {
        char c = fold(a[i - 1], any_case), earlier = 0; /* b[j - 2] */
        uint32_t *oldest = before;

        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= m; j++) {
            char d = fold(b[j - 1], any_case);

            row[j] = least(above[j - 1] + (c != d), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && c == earlier && last == d)
                row[j] = least(row[j], before[j - 2] + 1);
            earlier = d;
        }
        last = c;
        before = above;
        above = row;
        row = oldest;
    }
    return above[m];
}
