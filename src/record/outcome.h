/* outcome.h: how a run ended, as one of a few classes (docs/use/explore.md). */
#ifndef KNELL_RECORD_OUTCOME_H
#define KNELL_RECORD_OUTCOME_H

enum record_class {
    RECORD_FINISHED,      /* survivors exit with 0, and the check passes */
    RECORD_WRONG_RESULT,  /* survivors exit with 0, and the check fails */
    RECORD_ABORTED,       /* another status, a signal, or the time limit while calls still ended */
    RECORD_FROZEN,        /* every living rank waits inside a call, or is stopped */
    RECORD_NO_PROGRESS,   /* calls end, but the program's own measure of progress stands still */
    RECORD_NOT_STRUCK,    /* a planned fault never happened: the run says nothing */
    RECORD_DIVERGED,      /* the calls before the fault differ from the plan: the run says nothing about its point */
    RECORD_INDETERMINATE, /* the tool or the machine failed */
    RECORD_CLASSES
};

/* "finished", "wrong_result", ... */
const char *record_class_name(enum record_class class);
/* -1: no class has that name. */
int record_class_named(const char *name);

#endif
