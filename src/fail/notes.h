/* Diagnostics on their way from the compiler to the caller: formatted, counted, and no more than
 * KNELL_FAIL_NOTES_MAX of each kind. */
#ifndef KNELL_FAIL_NOTES_H
#define KNELL_FAIL_NOTES_H

#include "fail/program.h"

struct knell__notes {
    const struct knell_fail_reporter *reporter; /* may be NULL */
    uint32_t errors;
    uint32_t warnings;
};

void knell__notes_error(struct knell__notes *notes, struct knell__fail_at at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void knell__notes_warn(struct knell__notes *notes, struct knell__fail_at at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* So many errors were reported that going on helps nobody. */
bool knell__notes_enough(const struct knell__notes *notes);

/* "Did you mean?": start with {word}, offer every candidate. The hint is ", did you mean 'best'?" or "". */
struct knell__hint {
    const char *word;
    const char *best;
    unsigned distance;
    char text[KNELL_FAIL_NAME_MAX + 24];
};

void knell__hint_offer(struct knell__hint *hint, const char *candidate);
const char *knell__hint_text(struct knell__hint *hint);

#endif
