/* run_fail: a FAIL scenario on the ranks of an MPI job. The interpreter is that of the simulator; this is another effector of
 * it. Its world lives here, with the parent; ranks that come to a call the scenario waits for (report.h: armed) say so and are
 * held until they are told to go on. halt is SIGKILL, or the order to become a ghost.
 *
 * Slots of places with a program are given the ranks 0, 1, 2, ... in the order of the text. Nobody comes back. */
#include "cli/run.h"
#include "cli/run_kill.h"
#include "mpi/gen/calls.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DELAY_NS 100000 /* of a message from daemon to daemon */
#define CAN(name) KNELL_FAIL_CAN_##name

static const struct knell_fail_effector effectors[] = {
    [KNELL__RUN_REAL] = {"MPI job", CAN(ONLOAD) | CAN(ONEXIT) | CAN(ONERROR) | CAN(BEFORE) | CAN(AFTER) | CAN(HALT) | CAN(STOP) |
                                        CAN(CONTINUE) | CAN(SIGNAL) | CAN(FLIP_PAYLOAD), 0, "MPI"},
    [KNELL__RUN_GHOST] = {"MPI job of ghosts", CAN(ONLOAD) | CAN(ONEXIT) | CAN(ONERROR) | CAN(BEFORE) | CAN(AFTER) | CAN(HALT) |
                                                   CAN(CONTINUE) | CAN(FLIP_PAYLOAD), 0, "MPI"},
};

struct knell__run_fail {
    struct knell__run_job *job;
    struct knell_scenario scenario;
    void *memory;
    struct knell_fail_world *world;
    int *rank_of;          /* by instance; -1: none */
    uint32_t *instance_of; /* by rank */
    int *call_of;          /* by function of the scenario */
    bool *held;            /* by rank: it waits for an answer */
    bool *before;          /* by rank: and that before a call */
    struct knell__run_held *at; /* by rank: where */
    uint64_t *calls;       /* by rank, function, before and after: how often it was heard of */
    uint64_t faults;       /* that struck */
    int64_t due;           /* the last time it waited for; 0: none */
};

static knell_time now_of(const struct knell__run_fail *fail)
{
    return knell__run_clock() - fail->job->begin;
}

/* ---- what the scenario does ------------------------------------------------------------------------------------------------ */

static void wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Before the rank goes on, so that it cannot run past one. */
static void arm(struct knell__run_fail *fail, uint32_t instance, struct knell__desk *desk)
{
    enum { ROOM = 2 * KNELL_FAIL_NAMES_MAX }; /* before and after of every function there can be */
    struct knell_fail_probe probes[ROOM];
    uint32_t count = knell_fail_armed(fail->world, instance, probes, ROOM);
    for (int call = 0; call < KNELL__CALL_END; call++)
        atomic_store(&desk->armed[call], 0);
    for (uint32_t i = 0; i < count && i < ROOM; i++)
        if (probes[i].type == KNELL_FAIL_BEFORE || probes[i].type == KNELL_FAIL_AFTER)
            atomic_fetch_or(&desk->armed[fail->call_of[probes[i].subject]],
                            probes[i].type == KNELL_FAIL_BEFORE ? KNELL__ARMED_BEFORE : KNELL__ARMED_AFTER);
}

static void let_go(struct knell__run_fail *fail, int rank, struct knell__desk *desk)
{
    if (!fail->held[rank])
        return;
    fail->held[rank] = fail->before[rank] = false;
    atomic_fetch_add(&desk->answers, 1);
    wake(&desk->answers);
}

static void halt(struct knell__run_fail *fail, int rank, struct knell__desk *desk)
{
    struct knell__run_rank *victim = &fail->job->rank[rank];
    if (victim->finished)
        return; /* it has left the MPI job: whatever it does now, it is no rank any more */
    victim->injected = true;
    fail->faults++;
    if (fail->job->plan->mode == KNELL__RUN_REAL) {
        victim->died = knell__run_clock();
        knell__run_kill(fail->job, rank, SIGKILL);
        return;
    }
    atomic_store(&desk->halt, 1);
    wake(&desk->halt);
    let_go(fail, rank, desk);
}

/* On the desk before the answer is. */
static void flip(struct knell__run_fail *fail, int rank, struct knell__desk *desk, const struct knell_fail_action *action)
{
    fail->faults += fail->before[rank];
    if (fail->before[rank] && desk->flips < KNELL__DESK_FLIPS)
        desk->flip[desk->flips++] = (struct knell_fail_flip){action->value, action->whole, action->key};
    else
        knell__run_log_scenario(fail->job, "no message at hand: nothing is flipped");
}

static void apply(struct knell__run_fail *fail, int rank, const struct knell_fail_action *action)
{
    struct knell__desk *desk = knell__run_desk(&fail->job->place, rank);
    fail->faults += action->type == KNELL_FAIL_STOP || action->type == KNELL_FAIL_SIGNAL;
    switch (action->type) {
    case KNELL_FAIL_HALT: halt(fail, rank, desk); break;
    case KNELL_FAIL_STOP: knell__run_kill(fail->job, rank, SIGSTOP); break;
    case KNELL_FAIL_CONTINUE:
        knell__run_kill(fail->job, rank, SIGCONT);
        let_go(fail, rank, desk);
        break;
    case KNELL_FAIL_SIGNAL: knell__run_kill(fail->job, rank, (int)action->value); break;
    case KNELL_FAIL_FLIP: flip(fail, rank, desk, action); break;
    default: break;
    }
}

static void log_record(const struct knell__run_fail *fail, const struct knell_fail_record *record)
{
    char line[1024];
    if (!fail->job->log.file)
        return;
    knell_fail_record_text(fail->scenario.program, record, line, sizeof line);
    knell__run_log_scenario(fail->job, line);
}

static void carry_out(struct knell__run_fail *fail, const struct knell_fail_record *record)
{
    int rank = fail->rank_of[record->instance];
    log_record(fail, record);
    if (rank < 0 || fail->job->rank[rank].ended)
        return;
    arm(fail, record->instance, knell__run_desk(&fail->job->place, rank));
    for (uint32_t i = 0; i < record->action_count; i++)
        if (!record->actions[i].vain)
            apply(fail, rank, &record->actions[i]);
}

/* ---- what happens to ranks ------------------------------------------------------------------------------------------------- */

static void feed(struct knell__run_fail *fail, int rank, struct knell_fail_event event)
{
    struct knell_fail_record record;
    event.instance = fail->instance_of[rank];
    if (fail->world && knell_fail_step(fail->world, now_of(fail), &event, &record) == 1)
        carry_out(fail, &record);
}

void knell__run_fail_ended(struct knell__run_fail *fail, int rank, bool well)
{
    feed(fail, rank, (struct knell_fail_event){.type = well ? KNELL_FAIL_ONEXIT : KNELL_FAIL_ONERROR});
}

static uint64_t *counter(const struct knell__run_fail *fail, int rank, uint32_t function, bool after)
{
    return &fail->calls[((size_t)rank * knell_fail_function_count(fail->scenario.program) + function) * 2 + after];
}

static void note_call(struct knell__run_fail *fail, int rank, int call, bool after)
{
    fail->at[rank] = (struct knell__run_held){call, after, knell__run_clock()};
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++)
        *counter(fail, rank, f, after) += fail->call_of[f] == call;
}

/* A call may be named twice, with and without its library: every name of it hears of it. The last answer lets it go. */
void knell__run_fail_at(struct knell__run_fail *fail, int rank, int call, bool after)
{
    struct knell__desk *desk = knell__run_desk(&fail->job->place, rank);
    enum knell_fail_event_type type = after ? KNELL_FAIL_AFTER : KNELL_FAIL_BEFORE;
    note_call(fail, rank, call, after);
    fail->held[rank] = true;
    fail->before[rank] = !after;
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program) && fail->held[rank]; f++)
        if (fail->call_of[f] == call)
            feed(fail, rank, (struct knell_fail_event){.type = type, .subject = f});
    if (fail->job->rank[rank].injected) /* it was halted meanwhile: it finds that out itself */
        let_go(fail, rank, desk);
}

int64_t knell__run_fail_act(struct knell__run_fail *fail)
{
    struct knell_fail_record record;
    while (knell_fail_step(fail->world, now_of(fail), NULL, &record) == 1)
        carry_out(fail, &record);
    knell_time next = knell_fail_deadline(fail->world);
    fail->due = next == KNELL_NEVER ? fail->due : next;
    return next == KNELL_NEVER ? KNELL_NEVER : fail->job->begin + next;
}

/* ---- what is asked of it ---------------------------------------------------------------------------------------------------- */

bool knell__run_fail_holds(const struct knell__run_fail *fail, int rank, struct knell__run_held *held)
{
    *held = fail->at[rank];
    return fail->held[rank];
}

uint64_t knell__run_fail_faults(const struct knell__run_fail *fail)
{
    return fail->faults;
}

uint64_t knell__run_fail_calls(const struct knell__run_fail *fail, int rank, int call)
{
    uint64_t most = 0;
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++)
        for (int after = 0; after < 2 && fail->call_of[f] == call; after++)
            most = *counter(fail, rank, f, after) > most ? *counter(fail, rank, f, after) : most;
    return most;
}

void knell__run_fail_write_waits(const struct knell__run_fail *fail, FILE *out)
{
    const char *before = "; it waited for ";
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++, before = ", for ") {
        uint64_t calls = 0;
        for (int rank = 0; rank < fail->job->plan->ranks; rank++)
            calls += knell__run_fail_calls(fail, rank, fail->call_of[f]);
        fprintf(out, "%s%s (of which it heard %" PRIu64 " time%s)", before, knell_fail_function_at(fail->scenario.program, f).symbol,
                calls, calls == 1 ? "" : "s");
    }
    if (fail->due > fail->job->end - fail->job->begin)
        fprintf(out, "%sthe time %s", before, knell__run_duration(fail->due, (char[KNELL_DURATION_TEXT]){0}));
}

/* ---- life ------------------------------------------------------------------------------------------------------------------ */

/* Slots without a rank are fine; a rank without a slot is a mistake in one of the two numbers. */
static int map_slots(struct knell__run_fail *fail)
{
    uint32_t instances = knell_fail_instance_count(fail->scenario.program);
    int ranks = (int)fail->job->plan->ranks, next = 0;
    for (uint32_t i = 0; i < instances; i++) {
        uint32_t place = knell_fail_instance_place(fail->scenario.program, i);
        bool has_process = knell_fail_place_at(fail->scenario.program, place).program && next < ranks;
        fail->rank_of[i] = has_process ? next : -1;
        if (has_process)
            fail->instance_of[next++] = i;
    }
    return next == ranks ? KNELL_EXIT_OK
                         : knell__cli_fail(fail->job->plan->usage, "%.120s is for %d process%s, the job has %d ranks: make `size` of its "
                                           "group larger", fail->scenario.source.name, next, next == 1 ? "" : "es", ranks);
}

static int map_functions(struct knell__run_fail *fail)
{
    for (uint32_t f = 0; f < knell_fail_function_count(fail->scenario.program); f++) {
        const char *symbol = knell_fail_function_at(fail->scenario.program, f).symbol;
        fail->call_of[f] = knell__run_call(symbol);
        if (fail->call_of[f] < 0)
            return knell__run_no_call(fail->job->plan, fail->scenario.source.name, symbol);
    }
    return KNELL_EXIT_OK;
}

static bool allocate(struct knell__run_fail *fail)
{
    const struct knell_fail_program *program = fail->scenario.program;
    struct knell_fail_config config = {.message_delay = DELAY_NS};
    size_t ranks = (size_t)fail->job->plan->ranks;
    fail->memory = malloc(knell_fail_world_size(program, &config));
    fail->rank_of = calloc(knell_fail_instance_count(program) + 1u, sizeof *fail->rank_of);
    fail->instance_of = calloc(ranks, sizeof *fail->instance_of);
    fail->call_of = calloc(knell_fail_function_count(program) + 1u, sizeof *fail->call_of);
    fail->held = calloc(ranks, sizeof *fail->held);
    fail->before = calloc(ranks, sizeof *fail->before);
    fail->at = calloc(ranks, sizeof *fail->at);
    fail->calls = calloc(ranks * (knell_fail_function_count(program) + 1u) * 2, sizeof *fail->calls);
    return fail->memory && fail->rank_of && fail->instance_of && fail->call_of && fail->held && fail->before && fail->at && fail->calls;
}

static int prepare(struct knell__run_fail *fail)
{
    const struct knell__run_plan *plan = fail->job->plan;
    int status = plan->fail ? knell__scenario_open(plan->usage, plan->fail, &plan->defines, &fail->scenario)
                            : knell__run_kills_open(plan, &fail->scenario);
    if (status == KNELL_EXIT_OK)
        status = knell__scenario_require(&fail->scenario, &effectors[plan->mode]);
    if (status == KNELL_EXIT_OK && !allocate(fail))
        status = knell__cli_broken(plan->usage, "no memory for the scenario");
    if (status == KNELL_EXIT_OK)
        status = map_slots(fail);
    return status == KNELL_EXIT_OK ? map_functions(fail) : status;
}

struct knell__run_fail *knell__run_fail_open(struct knell__run_job *job, int *status)
{
    *status = KNELL_EXIT_OK;
    if (!job->plan->fail && !job->plan->kills.n)
        return NULL;
    struct knell__run_fail *fail = calloc(1, sizeof *fail);
    *status = KNELL_EXIT_FAILED;
    if (!fail)
        return NULL;
    fail->job = job;
    *status = prepare(fail);
    return fail;
}

/* All are through MPI_Init and held there. */
void knell__run_fail_begin(struct knell__run_fail *fail)
{
    struct knell_fail_config config = {.seed = (uint64_t)fail->job->plan->seed, .message_delay = DELAY_NS};
    knell_fail_world_init(fail->memory, fail->scenario.program, &config, 0, &fail->world);
    for (int rank = 0; rank < fail->job->plan->ranks; rank++) {
        fail->held[rank] = true;
        fail->at[rank] = (struct knell__run_held){-1, false, knell__run_clock()};
        feed(fail, rank, (struct knell_fail_event){.type = KNELL_FAIL_ONLOAD});
    }
}

void knell__run_fail_close(struct knell__run_fail *fail)
{
    if (!fail)
        return;
    knell__scenario_close(&fail->scenario);
    free(fail->memory);
    free(fail->rank_of);
    free(fail->instance_of);
    free(fail->call_of);
    free(fail->held);
    free(fail->before);
    free(fail->at);
    free(fail->calls);
    free(fail);
}
