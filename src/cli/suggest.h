/* "Did you mean ...?": the nearest of some known words. */
#ifndef KNELL_CLI_SUGGEST_H
#define KNELL_CLI_SUGGEST_H

/* The number of letters to insert, delete, change or swap with the next to get from a to b. Words longer than 31
 * letters count as far away from everything. */
unsigned knell__edit_distance(const char *a, const char *b);

/* A search in steps: start with {word}, offer every candidate, read best (NULL: nothing is near enough to be a
 * typo). */
struct knell_suggestion {
    const char *word;
    const char *best;
    unsigned distance;
};

void knell__suggestion_offer(struct knell_suggestion *s, const char *candidate);

#endif
