/* verdict.c: see verdict.h. The first that is so decides. A fault that never struck counts only in a job that would
 * have finished: one that froze or aborted says something without it. */
#include "cli/run/verdict.h"

#include <string.h>

void run_judge(const struct run_facts *facts, struct run_verdict *verdict)
{
    bool ended_well = !*facts->frozen && !*facts->no_progress && !*facts->aborted;
    const struct {
        enum record_class class;
        const char *why;
        bool counts;
    } rules[] = {
        {RECORD_INDETERMINATE, facts->lost, true}, {RECORD_NOT_STRUCK, facts->not_struck, ended_well},
        {RECORD_FROZEN, facts->frozen, true},      {RECORD_NO_PROGRESS, facts->no_progress, true},
        {RECORD_ABORTED, facts->aborted, true},    {RECORD_INDETERMINATE, facts->unchecked, true},
        {RECORD_WRONG_RESULT, facts->wrong, true}, {RECORD_FINISHED, facts->finished, true},
    };
    size_t rule = 0;
    while (!rules[rule].counts || (!*rules[rule].why && rules[rule].class != RECORD_FINISHED))
        rule++;
    verdict->class = rules[rule].class;
    memcpy(verdict->why, rules[rule].why, strnlen(rules[rule].why, RUN_WHY - 1) + 1);
    verdict->why[RUN_WHY - 1] = '\0';
}
