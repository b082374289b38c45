/* fail.c: `knell live --fail FILE`: a FAIL scenario acts on live processes. The interpreter is the one that the
 * simulator uses; this file is another effector: halt is SIGKILL, stop and continue are SIGSTOP and SIGCONT.
 *
 * The slots of places with a program get the ranks 0, 1, 2, ... in the order of the text, as in `knell sim ring
 * --fail`. A dead process never comes back: the protocol has no second life. */
#include "cli/live/run.h"
#include "os/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>

#define DELAY_NS 100000 /* of a message between daemons, on a network of their own */

struct live_fail {
    struct live_run *run;
    struct scenario scenario;
    void *memory;
    struct knell_fail_world *world;
    knell_rank *rank_of;   /* by instance; KNELL_NOBODY: none */
    uint32_t *instance_of; /* by rank; KNELL_NOBODY: none */
};

static knell_time now_of(const struct live_fail *fail)
{
    return knell__clock_now() - fail->run->record->begin;
}

/* ---- what the scenario does -------------------------------------------------------------------------------------- */

static struct live_injection *add(struct live_fail *fail, enum live_injection_kind kind, knell_rank rank)
{
    struct live_injection *injection = live_injections_add(
        &fail->run->plan->injections, (struct live_injection){.kind = kind, .rank = rank, .at = now_of(fail)});
    if (!injection)
        fail->run->status = cli_failure(fail->run->usage, "no memory for what --fail does");
    return injection;
}

/* The stop of this rank that has not been resumed. */
static struct live_injection *lasting_stop(struct live_fail *fail, knell_rank rank)
{
    struct live_injections *all = &fail->run->plan->injections;
    for (size_t i = all->count; i-- > 0;)
        if (all->item[i].rank == rank && all->item[i].kind == LIVE_STOP && !all->item[i].resumed)
            return &all->item[i];
    return NULL;
}

static void apply(struct live_fail *fail, knell_rank rank, enum knell_fail_action_type type)
{
    struct live_run *run = fail->run;
    struct live_injection *injection = NULL;
    bool stopped = run->process[rank].stopped;
    if (type == KNELL_FAIL_HALT && (injection = add(fail, LIVE_KILL, rank)))
        live_kill(run, injection);
    if (type == KNELL_FAIL_STOP && !stopped && (injection = add(fail, LIVE_STOP, rank)))
        live_stop(run, injection);
    if (type == KNELL_FAIL_CONTINUE && stopped && (injection = lasting_stop(fail, rank)))
        live_resume(run, injection);
}

static void carry_out(struct live_fail *fail, const struct knell_fail_record *record)
{
    knell_rank rank = fail->rank_of[record->instance];
    for (uint32_t i = 0; i < record->action_count && rank != KNELL_NOBODY; i++)
        if (!record->actions[i].vain && fail->run->process[rank].pid > 0)
            apply(fail, rank, record->actions[i].type);
}

static void feed(struct live_fail *fail, enum knell_fail_event_type type, uint32_t instance)
{
    struct knell_fail_event event = {.type = type, .instance = instance};
    struct knell_fail_record record;
    if (knell_fail_step(fail->world, now_of(fail), &event, &record) == 1)
        carry_out(fail, &record);
}

/* ---- what happens to processes ----------------------------------------------------------------------------------- */

/* All processes have started. A process whose daemon does not let it continue is stopped from now on, and the others
 * will suspect it. */
static void load_all(struct live_fail *fail)
{
    for (uint32_t i = 0; i < knell_fail_instance_count(fail->scenario.program); i++) {
        if (fail->rank_of[i] == KNELL_NOBODY)
            continue;
        feed(fail, KNELL_FAIL_ONLOAD, i);
        enum knell_fail_process state = knell_fail_process_of(fail->world, i);
        if (state == KNELL_FAIL_HELD || state == KNELL_FAIL_STOPPED)
            apply(fail, fail->rank_of[i], KNELL_FAIL_STOP);
    }
}

static void tell_of_ends(struct live_fail *fail)
{
    for (int64_t rank = 0; rank < fail->run->plan->ranks; rank++) {
        struct live_process *process = &fail->run->process[rank];
        if (process->pid > 0 || process->ended)
            continue;
        process->ended = true;
        bool well = WIFEXITED(process->status) && WEXITSTATUS(process->status) == 0;
        if (fail->instance_of[rank] != KNELL_NOBODY)
            feed(fail, well ? KNELL_FAIL_ONEXIT : KNELL_FAIL_ONERROR, fail->instance_of[rank]);
    }
}

int64_t live_fail_act(struct live_fail *fail)
{
    struct knell_fail_record record;
    tell_of_ends(fail);
    while (fail->run->status == EXIT_OK && knell_fail_step(fail->world, now_of(fail), NULL, &record) == 1)
        carry_out(fail, &record);
    knell_time next = knell_fail_deadline(fail->world);
    /* The parent sees the end of a process only when it looks, so it looks regularly. */
    int64_t look = knell__clock_now() + 20 * LIVE_MS;
    return next == KNELL_NEVER || fail->run->record->begin + next > look ? look : fail->run->record->begin + next;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void map_slots(struct live_fail *fail)
{
    uint32_t instances = knell_fail_instance_count(fail->scenario.program), ranks = (uint32_t)fail->run->plan->ranks;
    knell_rank next = 0;
    for (uint32_t i = 0; i < instances; i++) {
        uint32_t place = knell_fail_instance_place(fail->scenario.program, i);
        bool has_process = knell_fail_place_at(fail->scenario.program, place).program && next < ranks;
        fail->rank_of[i] = has_process ? next : KNELL_NOBODY;
        if (has_process)
            fail->instance_of[next++] = i;
    }
    while (next < ranks)
        fail->instance_of[next++] = KNELL_NOBODY;
}

static int prepare(struct live_fail *fail)
{
    struct live_run *run = fail->run;
    struct knell_fail_config config = {.message_delay = DELAY_NS};
    int status = scenario_open(run->usage, run->plan->fail, &run->plan->defines, &fail->scenario);
    if (status == EXIT_OK)
        status = scenario_require(&fail->scenario, knell_fail_effector_find("live"));
    if (status != EXIT_OK)
        return status;
    fail->memory = malloc(knell_fail_world_size(fail->scenario.program, &config));
    fail->rank_of = calloc(knell_fail_instance_count(fail->scenario.program) + 1u, sizeof *fail->rank_of);
    fail->instance_of = calloc((size_t)run->plan->ranks, sizeof *fail->instance_of);
    if (!fail->memory || !fail->rank_of || !fail->instance_of)
        return cli_failure(run->usage, "no memory for --fail %.200s", run->plan->fail);
    map_slots(fail);
    return EXIT_OK;
}

struct live_fail *live_fail_open(struct live_run *run, int *status)
{
    struct live_fail *fail = calloc(1, sizeof *fail);
    *status = EXIT_FAILED;
    if (!fail)
        return NULL;
    fail->run = run;
    *status = prepare(fail);
    return fail;
}

void live_fail_begin(struct live_fail *fail)
{
    struct knell_fail_config config = {.seed = (uint64_t)fail->run->plan->seed, .message_delay = DELAY_NS};
    knell_fail_world_init(fail->memory, fail->scenario.program, &config, 0, &fail->world);
    load_all(fail);
}

void live_fail_close(struct live_fail *fail)
{
    if (!fail)
        return;
    scenario_close(&fail->scenario);
    free(fail->memory);
    free(fail->rank_of);
    free(fail->instance_of);
    free(fail);
}
