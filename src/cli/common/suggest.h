/* "Did you mean ...?": the nearest of some known words. */
#ifndef KNELL_CLI_COMMON_SUGGEST_H
#define KNELL_CLI_COMMON_SUGGEST_H

/* A search in steps: start with {word}, offer every candidate, read best (NULL: nothing is near enough to be a
 * typo). */
struct suggestion {
    const char *word;
    const char *best;
    unsigned distance;
};

void suggestion_offer(struct suggestion *s, const char *candidate);

#endif
