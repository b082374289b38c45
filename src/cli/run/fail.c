/* fail.c: a FAIL scenario on the ranks of an MPI job. The interpreter is the one that the simulator uses; this file
 * is another effector. The state of the scenario lives in `knell run`. A rank that comes to a call that the scenario
 * waits for (job/report.h: armed) reports it and is held until it is told to go on. halt is SIGKILL, or the order to
 * become a ghost.
 *
 * The slots of places with a program get the ranks 0, 1, 2, ... in the order of the text. A dead rank never comes
 * back. */
#include "cli/run/fail.h"
#include "cli/run/kill.h"
#include "cli/run/mttf.h"
#include "cli/scenario/mpi_calls.h"
#include "os/clock.h"

#include <stdlib.h>

#define DELAY_NS 100000 /* of a message between daemons */

static knell_time now_of(const struct run_fail *fail)
{
    return knell__clock_now() - fail->job->begin;
}

/* ---- what the scenario does -------------------------------------------------------------------------------------- */

static void log_record(const struct run_fail *fail, const struct knell_fail_record *record)
{
    char line[1024];
    if (!run_logs(fail->job))
        return;
    knell_fail_record_text(fail->scenario.program, record, line, sizeof line);
    run_log_scenario(fail->job, line);
}

static void carry_out(struct run_fail *fail, const struct knell_fail_record *record)
{
    int rank = fail->rank_of[record->instance];
    log_record(fail, record);
    if (rank < 0 || fail->job->rank[rank].ended)
        return;
    if (record->entered || record->event.type == KNELL_FAIL_ONLOAD)
        run_fail_arm(fail, rank);
    if (record->event.type == KNELL_FAIL_BEFORE || record->event.type == KNELL_FAIL_INSIDE)
        fail->slot[rank].call = record->event;
    run_fail_stop_inside(fail, rank);
    if (fail->stepping) /* more steps may concern this rank; until then no call may pass unseen */
        fail->slot[rank].look_again = true;
    else
        run_fail_look_ahead(fail, rank);
    for (uint32_t i = 0; i < record->action_count; i++)
        if (!record->actions[i].vain)
            run_fail_apply(fail, rank, &record->actions[i]);
}

/* ---- what happens to ranks --------------------------------------------------------------------------------------- */

static void feed(struct run_fail *fail, int rank, struct knell_fail_event event)
{
    struct knell_fail_record record;
    event.instance = fail->slot[rank].instance;
    if (!fail->world)
        return;
    run_fail_catch_up(fail, rank);
    if (knell_fail_step(fail->world, now_of(fail), &event, &record) == 1)
        carry_out(fail, &record);
}

void run_fail_ended(struct run_fail *fail, int rank, bool well)
{
    feed(fail, rank, (struct knell_fail_event){.type = well ? KNELL_FAIL_ONEXIT : KNELL_FAIL_ONERROR});
}

/* The rank waits for an answer, which the actions of the scenario give. If it was halted meanwhile, it finds that
 * out itself. */
static void feed_held(struct run_fail *fail, int rank, struct knell_fail_event event)
{
    fail->slot[rank].held = true;
    run_desk(fail->job, rank)->flips = 0; /* those of the call before are done */
    fail->slot[rank].before = event.type == KNELL_FAIL_BEFORE;
    feed(fail, rank, event);
    if (fail->job->rank[rank].injected)
        run_fail_release(fail, rank);
}

/* At its entry or its return. One event, even if the scenario has several names for the call. */
static void held_at_end(struct run_fail *fail, int rank, int call, bool after)
{
    const struct job_desk_seen *desk = run_seen(fail->job, rank);
    struct knell_fail_event event = {
        .type = after ? KNELL_FAIL_AFTER : KNELL_FAIL_BEFORE,
        .symbol = job_call_name(call),
        .alias = job_call_alias(call),
        .arguments = desk->argument,
        .argument_count = after ? 0 : desk->arguments,
    };
    run_fail_count_call(fail, rank, call, after);
    event.subject = run_fail_function_of(fail, rank, call, event.type);
    if (event.subject != KNELL_FAIL_NO_SUBJECT)
        feed_held(fail, rank, event);
}

/* By the name and the count that the desk had for it. */
static void held_inside(struct run_fail *fail, const struct job_report *report)
{
    feed_held(fail, report->process,
              (struct knell_fail_event){
                  .type = KNELL_FAIL_INSIDE,
                  .subject = (uint32_t)report->peer,
                  .count = report->group,
                  .operation = (uint64_t)report->took,
                  .symbol = job_call_name((int)report->value),
                  .alias = job_call_alias((int)report->value),
              });
}

void run_fail_at(struct run_fail *fail, const struct job_report *report)
{
    struct run_fail_slot *slot = &fail->slot[report->process];
    int call = (int)report->value;
    slot->at = (struct run_fail_hold){call, (enum job_at)report->code, report->took, knell__clock_now()};
    if (report->code == JOB_AT_INSIDE)
        held_inside(fail, report);
    else
        held_at_end(fail, report->process, call, report->code == JOB_AT_RETURN);
}

void run_fail_changed(struct run_fail *fail, int rank, int variable)
{
    feed_held(fail, rank, (struct knell_fail_event){.type = KNELL_FAIL_WATCH, .subject = (uint32_t)variable});
}

/* Calls that have passed come before timers and messages that are due now. */
static void step_due(struct run_fail *fail)
{
    struct knell_fail_record record;
    if (knell_fail_variable_count(fail->scenario.program) > 0)
        run_desks_look(fail->job, true);
    for (int rank = 0; rank < fail->job->plan->ranks; rank++) {
        fail->slot[rank].look_again = false;
        fail->slot[rank].rest = 0;
        run_fail_catch_up(fail, rank);
    }
    fail->stepping = true;
    while (knell_fail_step(fail->world, now_of(fail), NULL, &record) == 1)
        carry_out(fail, &record);
    fail->stepping = false;
    for (int rank = 0; rank < fail->job->plan->ranks; rank++)
        if (fail->slot[rank].look_again)
            run_fail_look_ahead(fail, rank);
        else if (fail->slot[rank].rest > 0)
            run_fail_resume_passing(fail, rank);
}

bool run_fail_is_due(const struct run_fail *fail)
{
    return fail->world && knell_fail_deadline(fail->world) != KNELL_NEVER;
}

int64_t run_fail_act(struct run_fail *fail)
{
    knell_time next = knell_fail_deadline(fail->world);
    if (next != KNELL_NEVER && next <= now_of(fail))
        step_due(fail);
    next = knell_fail_deadline(fail->world);
    fail->due = next == KNELL_NEVER ? fail->due : next;
    return next == KNELL_NEVER ? KNELL_NEVER : fail->job->begin + next;
}

const struct knell_fail_source *run_fail_source(const struct run_fail *fail)
{
    return &fail->scenario.source;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* There may be more slots than ranks; fewer slots than ranks is an error. */
static int map_slots(struct run_fail *fail)
{
    uint32_t instances = knell_fail_instance_count(fail->scenario.program);
    int ranks = (int)fail->job->plan->ranks, next = 0;
    for (uint32_t i = 0; i < instances; i++) {
        uint32_t place = knell_fail_instance_place(fail->scenario.program, i);
        bool has_process = knell_fail_place_at(fail->scenario.program, place).program && next < ranks;
        fail->rank_of[i] = has_process ? next : -1;
        if (has_process)
            fail->slot[next++].instance = i;
    }
    return next == ranks ? EXIT_OK
                         : cli_usage_error(fail->job->plan->usage,
                                           "%.120s is for %d process%s, the job has %d ranks: make `size` of its "
                                           "group larger",
                                           fail->scenario.source.name, next, next == 1 ? "" : "es", ranks);
}

static bool allocate(struct run_fail *fail)
{
    const struct knell_fail_program *program = fail->scenario.program;
    struct knell_fail_config config = {.message_delay = DELAY_NS};
    size_t ranks = (size_t)fail->job->plan->ranks;
    fail->memory = malloc(knell_fail_world_size(program, &config));
    fail->rank_of = calloc(knell_fail_instance_count(program) + 1u, sizeof *fail->rank_of);
    fail->slot = calloc(ranks, sizeof *fail->slot);
    fail->means = run_fail_meanings(program);
    fail->calls = calloc(ranks * (knell_fail_function_count(program) + 1u) * 2, sizeof *fail->calls);
    return fail->memory && fail->rank_of && fail->slot && fail->means && fail->calls;
}

static int open_scenario(const struct run_plan *plan, struct scenario *scenario)
{
    if (plan->fail)
        return scenario_open(plan->usage, plan->fail, &plan->defines, scenario);
    return plan->mttf ? run_mttf_open(plan, scenario) : run_kills_open(plan, scenario);
}

static int prepare(struct run_fail *fail)
{
    static const char *const effectors[] = {[RUN_MODE_REAL] = "run", [RUN_MODE_GHOST] = "ghost"};
    const struct run_plan *plan = fail->job->plan;
    int status = open_scenario(plan, &fail->scenario);
    if (status == EXIT_OK)
        status = scenario_require(&fail->scenario, knell_fail_effector_find(effectors[plan->mode]));
    if (status == EXIT_OK)
        status = scenario_check_calls(plan->usage, &fail->scenario);
    if (status == EXIT_OK)
        status = scenario_check_variables(plan->usage, &fail->scenario);
    if (status == EXIT_OK && !allocate(fail))
        status = cli_failure(plan->usage, "no memory for the scenario");
    if (status == EXIT_OK)
        status = map_slots(fail);
    return status;
}

bool run_injects(const struct run_plan *plan)
{
    return (plan->fail && !plan->by_agent) || plan->kills.n || plan->mttf;
}

struct run_fail *run_fail_open(struct run_job *job, int *status)
{
    *status = EXIT_OK;
    if (!run_injects(job->plan))
        return NULL;
    struct run_fail *fail = calloc(1, sizeof *fail);
    *status = EXIT_FAILED;
    if (!fail)
        return NULL;
    fail->job = job;
    *status = prepare(fail);
    return fail;
}

/* All ranks have completed MPI_Init and are held at its end. */
void run_fail_begin(struct run_fail *fail)
{
    struct knell_fail_config config = {.seed = (uint64_t)fail->job->plan->seed,
                                       .message_delay = DELAY_NS,
                                       .driver = fail,
                                       .read = run_fail_read_variable};
    knell_fail_world_init(fail->memory, fail->scenario.program, &config, 0, &fail->world);
    for (int rank = 0; rank < fail->job->plan->ranks; rank++) {
        fail->slot[rank].held = true;
        fail->slot[rank].at = (struct run_fail_hold){.call = -1, .since = knell__clock_now()};
        feed(fail, rank, (struct knell_fail_event){.type = KNELL_FAIL_ONLOAD});
    }
}

void run_fail_close(struct run_fail *fail)
{
    if (!fail)
        return;
    scenario_close(&fail->scenario);
    free(fail->memory);
    free(fail->rank_of);
    free(fail->slot);
    free(fail->means);
    free(fail->calls);
    free(fail);
}
