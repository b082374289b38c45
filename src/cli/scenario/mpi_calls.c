/* mpi_calls.c: see mpi_calls.h. */
#include "cli/scenario/mpi_calls.h"
#include "cli/common/suggest.h"
#include "job/calls.h"
#include "job/report.h"

#include <string.h>

/* Calls in which no scenario hears of a rank. */
static bool is_out_of_reach(int call)
{
    return call == JOB_CALL_INIT || call == JOB_CALL_INIT_THREAD || call == JOB_CALL_ABORT ||
           call == JOB_CALL_INITIALIZED || call == JOB_CALL_FINALIZED;
}

static bool is_meant(const char *name, const char *call)
{
    size_t length = strlen(name);
    return length > 0 && name[length - 1] == '*' ? strncmp(name, call, length - 1) == 0 : strcmp(name, call) == 0;
}

static bool is_family(const char *name)
{
    return *name && name[strlen(name) - 1] == '*';
}

/* A family is of calls in the middle of a job. */
bool knell__run_call_is(int call, const char *name)
{
    const char *other = job_call_alias(call);
    if (is_out_of_reach(call) || (call == JOB_CALL_FINALIZE && is_family(name)))
        return false;
    return is_meant(name, job_call_name(call)) || (other && is_meant(name, other));
}

bool knell__run_call_exists(const char *name)
{
    int call = 0;
    while (call < JOB_CALL_END && !knell__run_call_is(call, name))
        call++;
    return call < JOB_CALL_END;
}

int knell__run_no_call(const struct knell_usage *usage, const char *where, const char *name)
{
    struct knell_suggestion near = {.word = name};
    if (is_out_of_reach(job_call_named(name)))
        return knell__cli_fail(usage,
                               "%.120s: nothing can be done at %.60s: ranks are heard of from the end of MPI_Init to "
                               "MPI_Finalize",
                               where, name);
    for (int i = 0; i < JOB_CALL_END; i++)
        knell__suggestion_offer(&near, job_call_name(i));
    for (int i = 0; i < JOB_CALL_END; i++)
        if (job_call_alias(i))
            knell__suggestion_offer(&near, job_call_alias(i));
    if (is_family(name))
        return knell__cli_fail(usage, "%.120s: no MPI call that is known here begins with %.*s", where,
                               (int)strlen(name) - 1, name);
    return near.best
               ? knell__cli_fail(usage, "%.120s: there is no call %.60s; did you mean %s?", where, name, near.best)
               : knell__cli_fail(usage, "%.120s: %.60s is no MPI call that is known here", where, name);
}

int knell__run_functions_check(const struct knell_usage *usage, const struct knell_scenario *scenario)
{
    for (uint32_t f = 0; f < knell_fail_function_count(scenario->program); f++) {
        const char *symbol = knell_fail_function_at(scenario->program, f).symbol;
        if (!knell__run_call_exists(symbol))
            return knell__run_no_call(usage, scenario->source.name, symbol);
    }
    return KNELL_EXIT_OK;
}

int knell__run_variables_check(const struct knell_usage *usage, const struct knell_scenario *scenario)
{
    return knell_fail_variable_count(scenario->program) <= JOB_DESK_VARIABLES
               ? KNELL_EXIT_OK
               : knell__cli_fail(usage, "%.120s: at most %d variables of the program can be named",
                                 scenario->source.name, JOB_DESK_VARIABLES);
}
