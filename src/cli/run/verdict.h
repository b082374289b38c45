/* verdict.h: the class of a run (record/outcome.h), from what is known about it. */
#ifndef KNELL_CLI_RUN_VERDICT_H
#define KNELL_CLI_RUN_VERDICT_H

#include "record/outcome.h"

#include <stdbool.h>

enum { RUN_WHY = 1024 };

/* Each is one line that says why, or empty: it is not so. */
struct run_facts {
    char lost[RUN_WHY];        /* the launcher failed, the job was ended from outside */
    char not_struck[RUN_WHY];  /* a planned fault never happened */
    char frozen[RUN_WHY];      /* all living ranks wait */
    char no_progress[RUN_WHY]; /* calls end, progress stands still */
    char aborted[RUN_WHY];     /* a status that is not 0, a signal, a time limit */
    char unchecked[RUN_WHY];   /* the check gave no answer */
    char wrong[RUN_WHY];       /* the check failed, the expected line is missing */
    char finished[RUN_WHY];    /* never empty */
};

struct run_verdict {
    enum record_class class;
    char why[RUN_WHY];
};

void run_judge(const struct run_facts *facts, struct run_verdict *verdict);

#endif
