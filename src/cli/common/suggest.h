/* suggest.h: "did you mean ...?": the known word that is nearest to a mistyped one. */
#ifndef KNELL_CLI_COMMON_SUGGEST_H
#define KNELL_CLI_COMMON_SUGGEST_H

/* Use: start with {word}, offer every candidate, then read best (NULL: no candidate is similar enough). */
struct suggestion {
    const char *word;
    const char *best;
    unsigned distance;
};

void suggestion_offer(struct suggestion *s, const char *candidate);

#endif
