/* fail_arm.c: see fail.h. To hold a rank at a call costs two switches between processes; a call that passes costs
 * next to nothing. So the interpreter looks ahead, as far as counts and random draws allow, and the rank itself
 * counts down the calls that may pass. */
#include "cli/run/fail.h"
#include "cli/scenario/mpi_calls.h"
#include "job/calls.h"

#include <stdlib.h>
#include <string.h>

enum {
    FAR_AHEAD = 1024
}; /* calls: one hold in so many costs nothing, and the interpreter looks through them quickly */

/* ---- names ------------------------------------------------------------------------------------------------------- */

bool *run_fail_meanings(const struct knell_fail_program *program)
{
    uint32_t functions = knell_fail_function_count(program);
    bool *table = calloc((size_t)functions * JOB_CALL_END + 1, sizeof *table);
    for (uint32_t f = 0; table && f < functions; f++)
        for (int call = 0; call < JOB_CALL_END; call++)
            table[f * JOB_CALL_END + (uint32_t)call] =
                scenario_call_is(call, knell_fail_function_at(program, f).symbol);
    return table;
}

static bool means(const struct run_fail *fail, uint32_t function, int call)
{
    return fail->means[function * JOB_CALL_END + (uint32_t)call];
}

/* At the entry a call is counted for inside() too. */
static bool is_armed(const struct run_fail *fail, int rank, uint32_t function, enum knell_fail_event_type type)
{
    uint32_t instance = fail->slot[rank].instance;
    struct knell_fail_probe probe = {type, function}, inside = {KNELL_FAIL_INSIDE, function};
    return knell_fail_is_armed(fail->world, instance, probe) ||
           (type == KNELL_FAIL_BEFORE && knell_fail_is_armed(fail->world, instance, inside));
}

/* Prefers a name that is armed: the node may have changed since the rank arrived. */
uint32_t run_fail_function_of(const struct run_fail *fail, int rank, int call, enum knell_fail_event_type type)
{
    uint32_t found = KNELL_FAIL_NO_SUBJECT;
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++) {
        if (!means(fail, f, call))
            continue;
        if (is_armed(fail, rank, f, type))
            return f;
        found = f;
    }
    return found;
}

uint64_t *run_fail_counter(const struct run_fail *fail, int rank, uint32_t function, bool after)
{
    return &fail->calls[((size_t)rank * knell_fail_function_count(fail->scenario.program) + function) * 2 + after];
}

void run_fail_count_call(struct run_fail *fail, int rank, int call, bool after)
{
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++)
        *run_fail_counter(fail, rank, f, after) += means(fail, f, call);
}

void run_fail_name_variables(struct run_fail *fail)
{
    uint32_t count = knell_fail_variable_count(fail->scenario.program);
    for (int rank = 0; rank < fail->job->plan->ranks; rank++) {
        struct job_desk_orders *desk = run_desk(fail->job, rank);
        for (uint32_t i = 0; i < count; i++)
            snprintf(desk->variable[i].name, sizeof desk->variable[i].name, "%s",
                     knell_fail_variable_at(fail->scenario.program, i) + 1);
        desk->variables = count;
        desk->inside = knell_fail_looks_inside(fail->scenario.program);
    }
}

/* ---- what is armed ----------------------------------------------------------------------------------------------- */

static unsigned bit_of(const struct run_fail *fail, int rank, struct knell_fail_probe probe)
{
    if (probe.type == KNELL_FAIL_AFTER)
        return JOB_ARMED_AFTER;
    return knell_fail_only_flips(fail->world, fail->slot[rank].instance, probe) ? JOB_ARMED_MESSAGE : JOB_ARMED_BEFORE;
}

static void arm_calls(const struct run_fail *fail, int rank, struct knell_fail_probe probe, uint8_t *armed)
{
    unsigned bit = bit_of(fail, rank, probe);
    for (int call = 0; call < JOB_CALL_END; call++)
        if (means(fail, probe.subject, call))
            armed[call] |= (uint8_t)bit;
}

void run_fail_arm(struct run_fail *fail, int rank)
{
    enum { ROOM = 3 * KNELL_FAIL_NAMES_MAX + JOB_DESK_VARIABLES }; /* before, after, inside: every possible function */
    struct knell_fail_probe probes[ROOM];
    struct job_desk_orders *desk = run_desk(fail->job, rank);
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

/* ---- what passes ------------------------------------------------------------------------------------------------- */

/* Finds the only call that the node waits for; false: it waits for none, or for several. */
static bool single_probe(const struct run_fail *fail, int rank, struct knell_fail_probe *probe)
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

void run_fail_look_ahead(struct run_fail *fail, int rank)
{
    struct run_fail_slot *slot = &fail->slot[rank];
    slot->passing = single_probe(fail, rank, &slot->probe)
                        ? knell_fail_idle(fail->world, slot->instance, slot->probe, FAR_AHEAD)
                        : 0;
    if (slot->passing > 0)
        run_desk_let_pass(fail->job, rank, slot->passing);
}

/* Not only after the events of the call itself: while the rank is held, a timer may change what is waited for. */
void run_fail_stop_inside(struct run_fail *fail, int rank)
{
    struct run_fail_slot *slot = &fail->slot[rank];
    struct job_desk_orders *desk = run_desk(fail->job, rank);
    struct knell_fail_event stop;
    if (!slot->held)
        return;
    desk->stop = (struct job_desk_stop){0};
    if (slot->at.where != JOB_AT_RETURN && knell_fail_stop_inside(fail->world, &slot->call, &stop))
        desk->stop = (struct job_desk_stop){stop.operation, stop.count, stop.subject};
}

void run_fail_catch_up(struct run_fail *fail, int rank)
{
    struct run_fail_slot *slot = &fail->slot[rank];
    if (slot->passing == 0)
        return;
    slot->rest = run_desk_take_passing(fail->job, rank, slot->passing);
    knell_fail_passed(fail->world, slot->instance, slot->probe, slot->passing - slot->rest);
    *run_fail_counter(fail, rank, slot->probe.subject, slot->probe.type == KNELL_FAIL_AFTER) +=
        slot->passing - slot->rest;
    slot->passing = 0;
}

void run_fail_resume_passing(struct run_fail *fail, int rank)
{
    struct run_fail_slot *slot = &fail->slot[rank];
    slot->passing = slot->rest;
    run_desk_let_pass(fail->job, rank, slot->passing);
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

/* The value that an order not yet carried out will set; false: there is none, or the order flips bits. */
static bool is_ordered(struct run_job *job, int rank, uint32_t variable, int64_t *value)
{
    const struct job_desk_orders *desk = &job->links.link[rank].orders;
    uint32_t obeyed = atomic_load(&run_seen(job, rank)->obeyed);
    for (uint32_t i = atomic_load(&desk->ordered); i != obeyed; i--) {
        const struct job_desk_order *order = &desk->order[(i - 1) % JOB_DESK_ORDERS];
        if (order->variable != variable)
            continue;
        *value = order->value;
        return !order->flips;
    }
    return false;
}

bool run_fail_read_variable(void *driver, uint32_t instance, uint32_t variable, int64_t *value)
{
    struct run_fail *fail = driver;
    int rank = fail->rank_of[instance];
    const struct job_desk_seen *seen = rank < 0 ? NULL : run_seen(fail->job, rank);
    if (!seen || !atomic_load(&seen->variable[variable].known))
        return false;
    if (!is_ordered(fail->job, rank, variable, value))
        *value = atomic_load(&seen->variable[variable].value);
    return true;
}
