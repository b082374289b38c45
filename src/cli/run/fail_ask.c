/* fail_ask.c: see fail.h. */
#include "cli/run/fail.h"

#include <inttypes.h>
#include <string.h>

bool run_fail_holds(const struct run_fail *fail, int rank, struct run_fail_hold *held)
{
    *held = fail->slot[rank].at;
    return fail->slot[rank].held;
}

bool run_fail_missed(const struct run_fail *fail, int rank, struct run_fail_missed *missed)
{
    *missed = fail->slot[rank].missed;
    return missed->operation > 0;
}

uint64_t run_fail_faults(const struct run_fail *fail)
{
    return fail->faults;
}

void run_fail_write_waits(struct run_fail *fail, FILE *out)
{
    const char *before = "; it waited for ";
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++, before = ", for ") {
        const char *symbol = knell_fail_function_at(fail->scenario.program, f).symbol;
        uint64_t calls = 0;
        for (int rank = 0; rank < fail->job->plan->ranks; rank++)
            calls += run_fail_calls(fail, rank, symbol);
        fprintf(out, "%s%s (of which it heard %" PRIu64 " time%s)", before, symbol, calls, calls == 1 ? "" : "s");
    }
    if (fail->due > fail->job->end - fail->job->begin)
        fprintf(out, "%sthe time %s", before, run_format_duration(fail->due, (char[DURATION_TEXT]){0}));
}

uint64_t run_fail_calls(struct run_fail *fail, int rank, const char *symbol)
{
    uint64_t most = 0;
    if (fail->world)
        run_fail_catch_up(fail, rank);
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++)
        for (int after = 0; after < 2 && strcmp(knell_fail_function_at(fail->scenario.program, f).symbol, symbol) == 0;
             after++)
            most = *run_fail_counter(fail, rank, f, after) > most ? *run_fail_counter(fail, rank, f, after) : most;
    return most;
}

void run_fail_posted(struct run_fail *fail, const struct job_report *report)
{
    uint32_t function = (uint32_t)report->peer;
    if (function < knell_fail_function_count(fail->scenario.program))
        fail->slot[report->process].missed =
            (struct run_fail_missed){knell_fail_function_at(fail->scenario.program, function).symbol,
                                     (int)report->value, report->group, report->took, report->code};
}
