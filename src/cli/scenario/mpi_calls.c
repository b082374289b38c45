/* mpi_calls.c: see mpi_calls.h. */
#include "cli/scenario/mpi_calls.h"
#include "cli/common/suggest.h"
#include "job/calls.h"
#include "job/report.h"

#include <string.h>

/* Calls that are never reported to a scenario. */
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

/* A family (MPI_*) contains only calls in the middle of a job. */
bool scenario_call_is(int call, const char *name)
{
    const char *other = job_call_alias(call);
    if (is_out_of_reach(call) || (call == JOB_CALL_FINALIZE && is_family(name)))
        return false;
    return is_meant(name, job_call_name(call)) || (other && is_meant(name, other));
}

bool scenario_call_exists(const char *name)
{
    int call = 0;
    while (call < JOB_CALL_END && !scenario_call_is(call, name))
        call++;
    return call < JOB_CALL_END;
}

int scenario_no_call(const struct usage *usage, const char *where, const char *name)
{
    struct suggestion near = {.word = name};
    if (is_out_of_reach(job_call_named(name)))
        return cli_usage_error(usage,
                               "%.120s: nothing can be done at %.60s: scenarios act from the end of "
                               "MPI_Init to MPI_Finalize",
                               where, name);
    for (int i = 0; i < JOB_CALL_END; i++)
        suggestion_offer(&near, job_call_name(i));
    for (int i = 0; i < JOB_CALL_END; i++)
        if (job_call_alias(i))
            suggestion_offer(&near, job_call_alias(i));
    if (is_family(name))
        return cli_usage_error(usage, "%.120s: no MPI call that is known here begins with %.*s", where,
                               (int)strlen(name) - 1, name);
    return near.best
               ? cli_usage_error(usage, "%.120s: there is no call %.60s; did you mean %s?", where, name, near.best)
               : cli_usage_error(usage, "%.120s: %.60s is no MPI call that is known here", where, name);
}

int scenario_check_calls(const struct usage *usage, const struct scenario *scenario)
{
    for (uint32_t f = 0; f < knell_fail_function_count(scenario->program); f++) {
        const char *symbol = knell_fail_function_at(scenario->program, f).symbol;
        if (!scenario_call_exists(symbol))
            return scenario_no_call(usage, scenario->source.name, symbol);
    }
    return EXIT_OK;
}

int scenario_check_variables(const struct usage *usage, const struct scenario *scenario)
{
    return knell_fail_variable_count(scenario->program) <= JOB_DESK_VARIABLES
               ? EXIT_OK
               : cli_usage_error(usage, "%.120s: at most %d variables of the program can be named",
                                 scenario->source.name, JOB_DESK_VARIABLES);
}
