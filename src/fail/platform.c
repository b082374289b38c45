/* The platform of platform.h: what each slot does next, and the dispatcher. Every slot has one timer for the next
 * thing that happens to it; the dispatcher has the last one. */
#include "fail/platform.h"
#include "fail/world.h"

#include <string.h>

enum state { ABSENT, LOADED, RUNNING, PAUSED }; /* LOADED: held before its first instruction */

struct process {
    uint8_t state;
    bool job;             /* of the job, not on its own */
    uint32_t call;        /* the call that is due */
    knell_time launch_at; /* ABSENT: comes then; KNELL_NEVER: does not come */
    knell_time kill_at;   /* the dispatcher ends it then */
    knell_time ran;       /* how long it has run up to `since` */
    knell_time since;
    knell_time next[KNELL_PLATFORM_CALLS_MAX]; /* when it calls what, in running time */
};

struct knell_platform {
    const struct knell_fail_program *program;
    const struct knell_fail_world *world;
    struct knell_platform_config config;
    struct knell_platform_counters counters;
    struct process *processes; /* by instance */
    uint32_t *slot_of;         /* by rank of the job */
    uint32_t count;
    struct knell__timers timers; /* [count] is the dispatcher's: it has noticed a death */
};

static void *cut(uint8_t **at, size_t size)
{
    void *piece = *at;

    *at += (size + 7) & ~(size_t)7;
    return piece;
}

size_t knell_platform_size(const struct knell_fail_program *program)
{
    size_t n = program->instance_count;

    return sizeof(struct knell_platform) + n * sizeof(struct process) + n * sizeof(uint32_t) +
           (n + 1) * (sizeof(knell_time) + 2 * sizeof(uint32_t)) + 64;
}

/* ---- configuration ----------------------------------------------------------------------------------------------- */

#define MS INT64_C(1000000)

bool knell_platform_defaults(const struct knell_fail_program *program, struct knell_platform_config *config)
{
    bool found = false;

    *config = (struct knell_platform_config){
        .launch = 10 * MS,
        .detect = 1 * MS,
        .stop = 200 * MS,
        .relaunch = 1000 * MS,
    };
    for (uint32_t i = 0; i < program->place_count; i++) {
        const struct knell_fail_place *place = &program->places[i].public;

        if (place->group && place->program && (!found || place->size > config->processes)) {
            config->place = i;
            config->processes = place->size;
            found = true;
        }
    }
    return found;
}

int knell_platform_check(const struct knell_fail_program *program, const struct knell_platform_config *config,
                         const char **why)
{
    const knell_time times[] = {config->launch, config->detect, config->stop, config->relaunch, config->length};

    *why = NULL;
    if (config->place >= program->place_count || !program->places[config->place].public.program)
        *why = "the job needs a group with a program";
    else if (config->processes < 1 || config->processes > program->places[config->place].public.size)
        *why = "the job is larger than its group";
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (times[i] < 0 || times[i] > INT64_C(1000000000) * 1000000)
            *why = "a time is negative or longer than a million seconds";
    }
    if (config->relaunch < 1 * MS) /* or a scenario that halts at every load would stop the time */
        *why = "a relaunch takes at least 1 ms";
    for (uint32_t i = 0; i < config->call_count; i++) {
        if (config->calls[i].after < 0 || config->calls[i].every < 0)
            *why = "a time is negative or longer than a million seconds";
    }
    return *why ? KNELL_EINVAL : 0;
}

/* ---- what happens next to a slot --------------------------------------------------------------------------------- */

static knell_time earlier(knell_time a, knell_time b)
{
    return a < b ? a : b;
}

static knell_time running_time(const struct process *x, knell_time now)
{
    return x->state == RUNNING ? x->ran + (now - x->since) : x->ran;
}

/* In running time: the next call, or the end. */
static knell_time next_in_life(const struct knell_platform *p, struct process *x)
{
    knell_time next = p->config.length > 0 ? p->config.length : KNELL_NEVER;

    x->call = p->config.call_count;
    for (uint32_t i = 0; i < p->config.call_count && x->job; i++) {
        if (x->next[i] < next) {
            next = x->next[i];
            x->call = i;
        }
    }
    return next;
}

static void rearm(struct knell_platform *p, uint32_t slot)
{
    struct process *x = &p->processes[slot];
    knell_time next = x->state == ABSENT ? x->launch_at : x->kill_at;

    if (x->state == RUNNING) {
        knell_time life = next_in_life(p, x);

        if (life != KNELL_NEVER)
            next = earlier(next, life < x->ran ? x->since : x->since + (life - x->ran));
    }
    if (next == KNELL_NEVER)
        knell__timers_cancel(&p->timers, slot);
    else
        knell__timers_arm(&p->timers, slot, next);
}

static void end_process(struct knell_platform *p, uint32_t slot)
{
    struct process *x = &p->processes[slot];

    x->state = ABSENT;
    x->launch_at = x->kill_at = KNELL_NEVER;
    rearm(p, slot);
}

static void set_state(struct knell_platform *p, uint32_t slot, enum state state, knell_time now)
{
    struct process *x = &p->processes[slot];

    x->ran = running_time(x, now);
    x->since = now;
    x->state = (uint8_t)state;
    rearm(p, slot);
}

/* ---- the dispatcher ---------------------------------------------------------------------------------------------- */

static bool is_free(const struct knell_platform *p, uint32_t slot)
{
    return p->processes[slot].state == ABSENT && p->processes[slot].launch_at == KNELL_NEVER;
}

/* Where rank r comes back: its slot, or with spares, if it is `lost`, the next free one after the slots of the job. */
static uint32_t home(struct knell_platform *p, uint32_t rank, bool lost)
{
    const struct knell_fail_place *place = &p->program->places[p->config.place].public;

    for (uint32_t i = 1; p->config.spares && lost && i < place->size; i++) {
        uint32_t slot = place->first + (p->slot_of[rank] - place->first + i) % place->size;
        bool taken = false;

        for (uint32_t r = 0; r < p->config.processes && !taken; r++)
            taken = p->slot_of[r] == slot;
        if (!taken && is_free(p, slot))
            return slot;
    }
    return p->slot_of[rank];
}

static void launch(struct knell_platform *p, uint32_t slot, knell_time at, bool job)
{
    struct process *x = &p->processes[slot];

    x->launch_at = at;
    x->job = job;
    rearm(p, slot);
}

static void launch_job(struct knell_platform *p, knell_time first)
{
    p->counters.launches++;
    for (uint32_t r = 0; r < p->config.processes; r++)
        launch(p, p->slot_of[r], first + (knell_time)r * p->config.launch, true);
}

/* A death was noticed. The survivors get until now + stop; then all come back. Who was to be launched is not yet. */
static void recover(struct knell_platform *p, knell_time now)
{
    const struct knell_platform_config *c = &p->config;

    for (uint32_t r = 0; r < c->processes; r++) {
        struct process *x = &p->processes[p->slot_of[r]];
        bool lost = x->state == ABSENT && x->launch_at == KNELL_NEVER;

        if (c->policy == KNELL_PLATFORM_JOB || lost) {
            x->launch_at = KNELL_NEVER;
            if (x->state != ABSENT)
                x->kill_at = earlier(x->kill_at, now + c->stop);
            rearm(p, p->slot_of[r]);
            p->slot_of[r] = home(p, r, lost);
        }
        if (c->policy == KNELL_PLATFORM_PROCESS && lost)
            launch(p, p->slot_of[r], now + c->relaunch, true);
    }
    if (c->policy == KNELL_PLATFORM_JOB)
        launch_job(p, now + c->stop + c->relaunch);
}

static void notice(struct knell_platform *p, uint32_t slot, knell_time now)
{
    if (p->config.policy == KNELL_PLATFORM_NOTHING)
        return;
    if (!p->processes[slot].job)
        launch(p, slot, now + p->config.detect + p->config.relaunch, false);
    else if (p->timers.position[p->count] == KNELL__NOTHING)
        knell__timers_arm(&p->timers, p->count, now + p->config.detect);
}

/* ---- stepping ---------------------------------------------------------------------------------------------------- */

static int load(struct knell_platform *p, uint32_t slot, knell_time now, struct knell_fail_event *event)
{
    struct process *x = &p->processes[slot];

    x->state = LOADED;
    x->launch_at = KNELL_NEVER;
    x->kill_at = KNELL_NEVER;
    x->ran = 0;
    x->since = now;
    for (uint32_t i = 0; i < p->config.call_count; i++)
        x->next[i] = p->config.calls[i].after;
    rearm(p, slot);
    event->type = KNELL_FAIL_ONLOAD;
    return 1;
}

/* A call that the scenario waits for stops the process, another one is only counted. */
static int call(struct knell_platform *p, uint32_t slot, knell_time now, struct knell_fail_event *event)
{
    struct process *x = &p->processes[slot];
    const struct knell_platform_call *c = &p->config.calls[x->call];
    const struct knell_fail_program *program = p->program;

    x->next[x->call] = c->every > 0 ? x->next[x->call] + c->every : KNELL_NEVER;
    for (uint32_t f = 0; f < program->function_count; f++) {
        for (int after = 0; after <= 1; after++) {
            struct knell_fail_probe probe = {after ? KNELL_FAIL_AFTER : KNELL_FAIL_BEFORE, f};

            if (!knell_fail_function_means(program, f, c->symbol) || !knell_fail_is_armed(p->world, slot, probe))
                continue;
            set_state(p, slot, PAUSED, now);
            event->type = probe.type;
            event->subject = f;
            event->symbol = c->symbol;
            return 1;
        }
    }
    rearm(p, slot);
    return 0;
}

static int happen(struct knell_platform *p, uint32_t slot, knell_time now, struct knell_fail_event *event)
{
    struct process *x = &p->processes[slot];

    *event = (struct knell_fail_event){.instance = slot};
    if (x->state == ABSENT)
        return load(p, slot, now, event);
    if (x->kill_at <= now) {
        knell_time back = x->launch_at; /* the next launch is planned already */

        end_process(p, slot);
        x->launch_at = back;
        rearm(p, slot);
        event->type = KNELL_FAIL_ONERROR;
        return 1;
    }
    if (x->call < p->config.call_count)
        return call(p, slot, now, event);
    end_process(p, slot);
    p->counters.exits++;
    event->type = KNELL_FAIL_ONEXIT;
    return 1;
}

int knell_platform_step(struct knell_platform *p, knell_time now, struct knell_fail_event *event)
{
    uint32_t due;

    while ((due = knell__timers_due(&p->timers, now)) != KNELL__NOTHING) {
        if (due < p->count) {
            if (happen(p, due, now, event))
                return 1;
            continue;
        }
        knell__timers_cancel(&p->timers, due);
        recover(p, now);
    }
    return 0;
}

knell_time knell_platform_deadline(const struct knell_platform *p)
{
    return p->timers.armed > 0 ? p->timers.deadline[p->timers.heap[0]] : KNELL_NEVER;
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

/* Signals that a process survives by default: SIGCHLD, SIGCONT, the stops, SIGURG, SIGWINCH. */
static bool is_deadly(int64_t signal)
{
    return !(signal >= 17 && signal <= 23) && signal != 28;
}

static void apply(struct knell_platform *p, uint32_t slot, knell_time now, const struct knell_fail_action *action)
{
    struct process *x = &p->processes[slot];

    if (action->vain || x->state == ABSENT)
        return;
    if (action->type == KNELL_FAIL_HALT) {
        knell_time back = x->launch_at;
        bool doomed = x->kill_at != KNELL_NEVER;

        end_process(p, slot);
        x->launch_at = back;
        rearm(p, slot);
        p->counters.faults++;
        if (!doomed) /* the dispatcher is ending it anyway */
            notice(p, slot, now);
    } else if (action->type == KNELL_FAIL_SIGNAL && is_deadly(action->value)) {
        x->kill_at = earlier(x->kill_at, now); /* it is seen to die: an onerror follows */
        p->counters.faults++;
        notice(p, slot, now);
        rearm(p, slot);
    } else if (action->type == KNELL_FAIL_STOP) {
        set_state(p, slot, PAUSED, now);
    } else if (action->type == KNELL_FAIL_CONTINUE) {
        set_state(p, slot, RUNNING, now);
    }
}

void knell_platform_apply(struct knell_platform *p, knell_time now, const struct knell_fail_record *record)
{
    for (uint32_t i = 0; i < record->action_count; i++)
        apply(p, record->instance, now, &record->actions[i]);
}

/* ---- birth, questions, the loop ---------------------------------------------------------------------------------- */

static void place_all(struct knell_platform *p, knell_time now)
{
    const struct knell_fail_program *program = p->program;

    for (uint32_t i = 0; i < p->count; i++)
        p->processes[i].launch_at = p->processes[i].kill_at = KNELL_NEVER;
    for (uint32_t r = 0; r < p->config.processes; r++)
        p->slot_of[r] = program->places[p->config.place].public.first + r;
    launch_job(p, now);
    for (uint32_t i = 0; i < program->place_count; i++) {
        const struct knell_fail_place *place = &program->places[i].public;

        for (uint32_t s = 0; s < place->size && place->program && i != p->config.place; s++)
            launch(p, place->first + s, now, false);
    }
}

struct knell_platform *knell_platform_init(void *memory, const struct knell_fail_program *program,
                                           const struct knell_fail_world *world,
                                           const struct knell_platform_config *config, knell_time now)
{
    uint8_t *at = memory;
    struct knell_platform *p = cut(&at, sizeof *p);
    size_t n = program->instance_count;

    memset(memory, 0, knell_platform_size(program));
    p->program = program;
    p->world = world;
    p->config = *config;
    p->count = program->instance_count;
    p->processes = cut(&at, n * sizeof *p->processes);
    p->slot_of = cut(&at, n * sizeof *p->slot_of);
    p->timers.deadline = cut(&at, (n + 1) * sizeof *p->timers.deadline);
    p->timers.position = cut(&at, (n + 1) * sizeof *p->timers.position);
    p->timers.heap = cut(&at, (n + 1) * sizeof *p->timers.heap);
    memset(p->timers.position, 0xff, (n + 1) * sizeof *p->timers.position);
    place_all(p, now);
    return p;
}

struct knell_platform_counters knell_platform_counters_of(const struct knell_platform *p)
{
    return p->counters;
}

static uint32_t count_states(const struct knell_platform *p, bool held)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->count; i++) {
        enum state state = (enum state)p->processes[i].state;

        n += held ? state == LOADED || state == PAUSED : state != ABSENT;
    }
    return n;
}

uint32_t knell_platform_held(const struct knell_platform *p)
{
    return count_states(p, true);
}

uint32_t knell_platform_alive(const struct knell_platform *p)
{
    return count_states(p, false);
}

void knell_platform_run(struct knell_platform *p, struct knell_fail_world *world, knell_time until,
                        const struct knell_platform_watcher *watcher)
{
    struct knell_fail_record record;
    struct knell_fail_event event;

    for (;;) {
        knell_time now = earlier(knell_platform_deadline(p), knell_fail_deadline(world));

        if (now > until || now == KNELL_NEVER)
            return;
        while (knell_fail_step(world, now, knell_platform_step(p, now, &event) ? &event : NULL, &record) == 1) {
            knell_platform_apply(p, now, &record);
            if (watcher && watcher->each && !watcher->each(watcher->driver, &record))
                return;
        }
    }
}
