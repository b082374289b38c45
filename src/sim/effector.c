/* effector: see effector.h. The frame is that of fail/platform.c: events of processes, then messages and timers of the
 * automata, each record carried out at once. */
#include "sim/effector.h"

#include <stdlib.h>

enum { SCENARIO = 4 };

struct knell_effector {
    struct knell_effector_plan plan;
    struct knell_world *world;
    struct knell_judge *judge;
    struct knell_fail_world *automata;
    void *memory; /* of the automata */
    uint32_t instances;
    knell_rank *node_of;   /* by instance; KNELL_NOBODY: none */
    uint32_t *instance_of; /* by node; KNELL_NOBODY: none */
    knell_rank *fenced;    /* nodes that have to end, */
    uint32_t fenced_count; /*   after the step that said so */
    uint32_t in_reach;     /* living nodes with a slot */
    knell_time acted;      /* when the scenario last did something to a node */
    const struct knell_effector_log *log;
    struct knell_effector_result *result;
};

/* ---- what the scenario does to nodes --------------------------------------------------------------------------------------- */

static void end_node(struct knell_effector *e, knell_rank node)
{
    e->in_reach -= e->instance_of[node] != KNELL_NOBODY;
    knell_world_crash(e->world, node);
    knell_judge_death(e->judge, node);
}

static bool set_cut(struct knell_effector *e, knell_rank node, bool cut)
{
    bool changed = cut ? knell_outage_isolate(e->world, node) : knell_outage_rejoin(e->world, node);
    if (changed)
        knell_judge_outage(e->judge, node);
    return changed;
}

static bool set_link(struct knell_effector *e, knell_rank a, knell_rank b, bool cut)
{
    bool changed = cut ? knell_outage_cut(e->world, a, b) : knell_outage_heal(e->world, a, b);
    if (changed) {
        knell_judge_outage(e->judge, a);
        knell_judge_outage(e->judge, b);
    }
    return changed;
}

/* A node that rejoins has mended single links of others, too. */
static void judge_all(struct knell_effector *e)
{
    for (knell_rank node = 0; node < e->plan.config.ranks; node++)
        knell_judge_outage(e->judge, node);
}

/* How many nodes were cut off, or 1 for any number of single links; of a heal the same. */
static uint32_t apply_cut(struct knell_effector *e, knell_rank self, const struct knell_fail_action *action)
{
    bool cut = action->type == KNELL_FAIL_CUT, had_links = e->world->outage->links.count > 0;
    uint32_t changed = 0;
    for (uint32_t i = action->first; i < action->first + action->count; i++) {
        knell_rank node = e->node_of[i];
        if (node == KNELL_NOBODY || !e->world->alive[node])
            continue;
        if (action->alone)
            changed += set_cut(e, node, cut);
        else if (self != KNELL_NOBODY)
            changed |= set_link(e, self, node, cut);
    }
    if (!cut && action->alone && had_links)
        judge_all(e);
    return changed;
}

/* Returns how many faults that is; 0 for what mends, too. */
static uint32_t apply(struct knell_effector *e, knell_rank node, const struct knell_fail_action *action)
{
    bool changed;
    switch (action->type) {
    case KNELL_FAIL_CUT:
        return apply_cut(e, node, action);
    case KNELL_FAIL_HEAL:
        e->acted = apply_cut(e, node, action) ? e->world->now : e->acted;
        return 0;
    case KNELL_FAIL_HALT:
        end_node(e, node);
        return 1;
    case KNELL_FAIL_STOP:
        changed = knell_outage_pause(e->world, node);
        knell_judge_outage(e->judge, node);
        return changed;
    case KNELL_FAIL_CONTINUE:
        e->acted = knell_outage_resume(e->world, node) ? e->world->now : e->acted;
        knell_judge_outage(e->judge, node);
        return 0;
    default:
        return 0;
    }
}

static bool needs_process(const struct knell_fail_action *action)
{
    return action->type == KNELL_FAIL_HALT || action->type == KNELL_FAIL_STOP || action->type == KNELL_FAIL_CONTINUE;
}

static void carry_out(struct knell_effector *e, const struct knell_fail_record *record)
{
    knell_rank node = e->node_of[record->instance];
    for (uint32_t i = 0; i < record->action_count; i++) {
        const struct knell_fail_action *action = &record->actions[i];
        if (needs_process(action) && (action->vain || node == KNELL_NOBODY || !e->world->alive[node]))
            continue;
        uint32_t faults = apply(e, node, action);
        e->result->faults += faults;
        if (faults > 0)
            e->acted = e->world->now;
    }
    if (e->log->record)
        e->log->record(e->log->context, record);
}

/* ---- what happens to nodes ------------------------------------------------------------------------------------------------- */

static void feed(struct knell_effector *e, enum knell_fail_event_type type, uint32_t instance)
{
    struct knell_fail_event event = {.type = type, .instance = instance};
    struct knell_fail_record record;
    if (knell_fail_step(e->automata, e->world->now, &event, &record) == 1)
        carry_out(e, &record);
}

/* A node is held until its daemon lets it go: the others have started and may miss it. */
static void load_all(struct knell_effector *e)
{
    for (uint32_t i = 0; i < e->instances; i++) {
        if (e->node_of[i] == KNELL_NOBODY)
            continue;
        knell_outage_pause(e->world, e->node_of[i]);
        feed(e, KNELL_FAIL_ONLOAD, i);
        knell_judge_outage(e->judge, e->node_of[i]);
    }
}

static void on_fact(void *context, struct knell_world *world, knell_rank node, const struct knell_fact *fact)
{
    struct knell_effector *e = context;
    (void)world;
    knell_judge_fact(e->judge, node, fact);
    if (fact->type == KNELL_FACT_FENCED)
        e->fenced[e->fenced_count++] = node;
}

/* In the order in which they learned it. What a daemon does about it may fence others. */
static void bury_fenced(struct knell_effector *e)
{
    for (uint32_t i = 0; i < e->fenced_count; i++) {
        knell_rank node = e->fenced[i];
        if (!e->world->alive[node])
            continue;
        end_node(e, node);
        if (e->instance_of[node] != KNELL_NOBODY)
            feed(e, KNELL_FAIL_ONERROR, e->instance_of[node]);
    }
    e->fenced_count = 0;
}

static void run_automata(struct knell_effector *e)
{
    struct knell_fail_record record;
    while (knell_fail_step(e->automata, e->world->now, NULL, &record) == 1) {
        carry_out(e, &record);
        bury_fenced(e);
    }
}

/* ---- a run ----------------------------------------------------------------------------------------------------------------- */

/* The next thing, of the world or, after all that the world has at that instant, of the scenario. */
static bool run_one(struct knell_effector *e)
{
    knell_time world = knell_world_next(e->world), scenario = knell_fail_deadline(e->automata);
    knell_time next = scenario < world ? scenario : world;
    if (next > e->plan.until || next == KNELL_NEVER || e->world->broken)
        return false;
    if (scenario < world) {
        knell_world_pass(e->world, scenario > e->world->now ? scenario : e->world->now);
        run_automata(e);
        return true;
    }
    if (!knell_world_run_one(e->world))
        return false;
    bury_fenced(e);
    return true;
}

static bool is_over(struct knell_effector *e)
{
    bool stable = knell_judge_is_stable(e->judge); /* looked at after every event: its time is a result */
    if (e->world->living == 0)
        return true;
    if (!stable || (e->in_reach > 0 && knell_fail_deadline(e->automata) != KNELL_NEVER))
        return false;
    return !knell_judge_is_pending(e->judge) && e->world->now - e->acted >= 2 * e->plan.config.delta;
}

static void begin(struct knell_effector *e, uint64_t key)
{
    struct knell_watch watch = {.context = e, .fact = on_fact};
    struct knell_judge_log log = {e->log->context, e->log->event};
    struct knell_fail_config config = {.seed = knell_prng_key(key, SCENARIO), .message_delay = KNELL_EFFECTOR_DELAY_NS};
    knell_outage_begin(e->world->outage);
    knell_world_begin(e->world, key, &watch);
    knell_judge_begin(e->judge, &log);
    knell_fail_world_init(e->memory, e->plan.program, &config, 0, &e->automata);
    e->acted = 0;
    e->fenced_count = 0;
    e->in_reach = 0;
    for (uint32_t i = 0; i < e->instances; i++)
        e->in_reach += e->node_of[i] != KNELL_NOBODY;
}

void knell_effector_run(struct knell_effector *e, uint64_t key, const struct knell_effector_log *log,
                        struct knell_effector_result *result)
{
    static const struct knell_effector_log silent;
    *result = (struct knell_effector_result){0};
    e->result = result;
    e->log = log ? log : &silent;
    begin(e, key);
    load_all(e);
    run_automata(e);
    while (!is_over(e)) {
        if (!run_one(e)) {
            result->cut_off = !e->world->broken;
            break;
        }
    }
    struct knell_fail_counters counters = knell_fail_counters_of(e->automata);
    result->verdict = knell_judge_end(e->judge);
    result->fired = counters.fired;
    result->errors = counters.faults + counters.dropped + counters.rests;
    result->events = e->world->events;
    result->broadcasts = e->world->counters.broadcasts_started;
    result->messages = e->world->counters.messages_sent;
    result->no_memory = e->world->broken;
}

/* ---- making ---------------------------------------------------------------------------------------------------------------- */

static void map_slots(struct knell_effector *e)
{
    knell_rank next = 0;
    for (uint32_t i = 0; i < e->instances; i++) {
        uint32_t place = knell_fail_instance_place(e->plan.program, i);
        bool has_node = knell_fail_place_at(e->plan.program, place).program && next < e->plan.config.ranks;
        e->node_of[i] = has_node ? next : KNELL_NOBODY;
        if (has_node)
            e->instance_of[next++] = i;
    }
    while (next < e->plan.config.ranks)
        e->instance_of[next++] = KNELL_NOBODY;
}

struct knell_effector *knell_effector_new(const struct knell_effector_plan *plan)
{
    struct knell_limits limits = knell_limits_default();
    struct knell_fail_config config = {.message_delay = KNELL_EFFECTOR_DELAY_NS};
    struct knell_effector *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->plan = *plan;
    e->instances = knell_fail_instance_count(plan->program);
    e->world = knell_world_new(&plan->config, plan->network, &limits);
    e->memory = malloc(knell_fail_world_size(plan->program, &config));
    e->node_of = calloc(e->instances + 1u, sizeof *e->node_of);
    e->instance_of = calloc(plan->config.ranks, sizeof *e->instance_of);
    e->fenced = calloc(plan->config.ranks, sizeof *e->fenced);
    if (e->world)
        e->world->outage = knell_outage_new(plan->config.ranks);
    if (e->world && e->world->outage)
        e->judge = knell_judge_new(e->world);
    if (!e->judge || !e->memory || !e->node_of || !e->instance_of || !e->fenced) {
        knell_effector_free(e);
        return NULL;
    }
    map_slots(e);
    return e;
}

void knell_effector_free(struct knell_effector *e)
{
    if (!e)
        return;
    struct knell_outage *outage = e->world ? e->world->outage : NULL;
    knell_judge_free(e->judge);
    knell_world_free(e->world);
    knell_outage_free(outage);
    free(e->memory);
    free(e->node_of);
    free(e->instance_of);
    free(e->fenced);
    free(e);
}
