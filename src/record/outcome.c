/* outcome.c: see outcome.h. */
#include "record/outcome.h"

#include <string.h>

static const char *const names[RECORD_CLASSES] = {
    [RECORD_FINISHED] = "finished", [RECORD_WRONG_RESULT] = "wrong_result",   [RECORD_ABORTED] = "aborted",
    [RECORD_FROZEN] = "frozen",     [RECORD_NO_PROGRESS] = "no_progress",     [RECORD_NOT_STRUCK] = "not_struck",
    [RECORD_DIVERGED] = "diverged", [RECORD_INDETERMINATE] = "indeterminate",
};

const char *record_class_name(enum record_class class)
{
    return names[class];
}

int record_class_named(const char *name)
{
    for (int class = 0; class < RECORD_CLASSES; class ++)
        if (strcmp(names[class], name) == 0)
            return class;
    return -1;
}
