/* run_fail_arm: see run_fail.h. A call at which a rank is held costs it two switches between processes; one that passes costs next to
 * nothing. So the interpreter looks ahead, as far as counts and draws tell, and the rank itself counts down. */
#include "cli/run_fail.h"
#include "cli/run_kill.h"
#include "job/calls.h"

#include <stdlib.h>
#include <string.h>

enum {
    FAR_AHEAD = 1024
}; /* calls: to be held at one of so many is nothing, and to look through them does not take long */

/* ---- names ----------------------------------------------------------------------------------------------------------------- */

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

bool *knell__run_meanings(const struct knell_fail_program *program)
{
    uint32_t functions = knell_fail_function_count(program);
    bool *table = calloc((size_t)functions * JOB_CALL_END + 1, sizeof *table);
    for (uint32_t f = 0; table && f < functions; f++)
        for (int call = 0; call < JOB_CALL_END; call++)
            table[f * JOB_CALL_END + (uint32_t)call] =
                knell__run_call_is(call, knell_fail_function_at(program, f).symbol);
    return table;
}

static bool means(const struct knell__run_fail *fail, uint32_t function, int call)
{
    return fail->means[function * JOB_CALL_END + (uint32_t)call];
}

/* One that is armed, if there is one: the node may have changed while the rank came here. */
uint32_t knell__run_function_of(const struct knell__run_fail *fail, int rank, int call, enum knell_fail_event_type type)
{
    uint32_t found = KNELL_FAIL_NO_SUBJECT;
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++) {
        if (!means(fail, f, call))
            continue;
        if (knell_fail_is_armed(fail->world, fail->slot[rank].instance, (struct knell_fail_probe){type, f}))
            return f;
        found = f;
    }
    return found;
}

static uint64_t *counter(const struct knell__run_fail *fail, int rank, uint32_t function, bool after)
{
    return &fail->calls[((size_t)rank * knell_fail_function_count(fail->scenario.program) + function) * 2 + after];
}

void knell__run_count_call(struct knell__run_fail *fail, int rank, int call, bool after)
{
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++)
        *counter(fail, rank, f, after) += means(fail, f, call);
}

void knell__run_fail_place(struct knell__run_fail *fail)
{
    uint32_t count = knell_fail_variable_count(fail->scenario.program);
    for (int rank = 0; rank < fail->job->plan->ranks; rank++) {
        struct job_desk *desk = knell__run_desk(&fail->job->place, rank);
        for (uint32_t i = 0; i < count; i++)
            snprintf(desk->variable[i].name, sizeof desk->variable[i].name, "%s",
                     knell_fail_variable_at(fail->scenario.program, i) + 1);
        desk->variables = count;
    }
}

/* ---- what is armed --------------------------------------------------------------------------------------------------------- */

static unsigned bit_of(const struct knell__run_fail *fail, int rank, struct knell_fail_probe probe)
{
    if (probe.type == KNELL_FAIL_AFTER)
        return JOB_ARMED_AFTER;
    return knell_fail_only_flips(fail->world, fail->slot[rank].instance, probe) ? JOB_ARMED_MESSAGE : JOB_ARMED_BEFORE;
}

static void arm_calls(const struct knell__run_fail *fail, int rank, struct knell_fail_probe probe, uint8_t *armed)
{
    unsigned bit = bit_of(fail, rank, probe);
    for (int call = 0; call < JOB_CALL_END; call++)
        if (means(fail, probe.subject, call))
            armed[call] |= (uint8_t)bit;
}

void knell__run_arm(struct knell__run_fail *fail, int rank)
{
    enum { ROOM = 2 * KNELL_FAIL_NAMES_MAX + JOB_DESK_VARIABLES }; /* before and after of every function there can be */
    struct knell_fail_probe probes[ROOM];
    struct job_desk *desk = knell__run_desk(&fail->job->place, rank);
    uint8_t armed[JOB_CALL_END] = {0}, watched[JOB_DESK_VARIABLES] = {0};
    uint32_t count = knell_fail_armed(fail->world, fail->slot[rank].instance, probes, ROOM);
    for (uint32_t i = 0; i < count && i < ROOM; i++)
        if (probes[i].type == KNELL_FAIL_WATCH)
            watched[probes[i].subject] = 1;
        else
            arm_calls(fail, rank, probes[i], armed);
    for (int call = 0; call < JOB_CALL_END; call++)
        atomic_store(&desk->armed[call], armed[call]);
    for (uint32_t i = 0; i < desk->variables; i++)
        atomic_store(&desk->variable[i].watched, watched[i]);
}

/* ---- what passes ----------------------------------------------------------------------------------------------------------- */

/* The one function that the node waits for, if it is one; false: none, or several. */
static bool single_probe(const struct knell__run_fail *fail, int rank, struct knell_fail_probe *probe)
{
    enum { FEW = 8 };
    struct knell_fail_probe probes[FEW];
    uint32_t count = knell_fail_armed(fail->world, fail->slot[rank].instance, probes, FEW), calls = 0;
    for (uint32_t i = 0; i < count && i < FEW; i++)
        if (probes[i].type != KNELL_FAIL_WATCH) {
            *probe = probes[i];
            calls++;
        }
    return calls == 1 && count <= FEW;
}

void knell__run_look_ahead(struct knell__run_fail *fail, int rank)
{
    struct knell__run_slot *slot = &fail->slot[rank];
    slot->passing = single_probe(fail, rank, &slot->probe)
                        ? knell_fail_idle(fail->world, slot->instance, slot->probe, FAR_AHEAD)
                        : 0;
    atomic_store(&knell__run_desk(&fail->job->place, rank)->left, slot->passing);
}

void knell__run_catch_up(struct knell__run_fail *fail, int rank)
{
    struct knell__run_slot *slot = &fail->slot[rank];
    if (slot->passing == 0)
        return;
    slot->rest = atomic_exchange(&knell__run_desk(&fail->job->place, rank)->left, 0);
    knell_fail_passed(fail->world, slot->instance, slot->probe, slot->passing - slot->rest);
    *counter(fail, rank, slot->probe.subject, slot->probe.type == KNELL_FAIL_AFTER) += slot->passing - slot->rest;
    slot->passing = 0;
}

void knell__run_go_on_passing(struct knell__run_fail *fail, int rank)
{
    struct knell__run_slot *slot = &fail->slot[rank];
    slot->passing = slot->rest;
    atomic_store(&knell__run_desk(&fail->job->place, rank)->left, slot->passing);
}

uint64_t knell__run_fail_calls(struct knell__run_fail *fail, int rank, const char *symbol)
{
    uint64_t most = 0;
    if (fail->world)
        knell__run_catch_up(fail, rank);
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++)
        for (int after = 0; after < 2 && strcmp(knell_fail_function_at(fail->scenario.program, f).symbol, symbol) == 0;
             after++)
            most = *counter(fail, rank, f, after) > most ? *counter(fail, rank, f, after) : most;
    return most;
}

/* ---- variables ------------------------------------------------------------------------------------------------------------- */

/* What was ordered and is not carried out yet; false: nothing, or what cannot be known here. */
static bool is_ordered(struct job_desk *desk, uint32_t variable, int64_t *value)
{
    uint32_t obeyed = atomic_load(&desk->obeyed);
    for (uint32_t i = atomic_load(&desk->ordered); i != obeyed; i--) {
        const struct job_desk_order *order = &desk->order[(i - 1) % JOB_DESK_ORDERS];
        if (order->variable != variable)
            continue;
        *value = order->value;
        return !order->flips;
    }
    return false;
}

bool knell__run_read_variable(void *driver, uint32_t instance, uint32_t variable, int64_t *value)
{
    struct knell__run_fail *fail = driver;
    int rank = fail->rank_of[instance];
    struct job_desk *desk = rank < 0 ? NULL : knell__run_desk(&fail->job->place, rank);
    if (!desk || !atomic_load(&desk->variable[variable].known))
        return false;
    if (!is_ordered(desk, variable, value))
        *value = atomic_load(&desk->variable[variable].value);
    return true;
}
