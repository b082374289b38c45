/* check: runs a drawn world; see check.h. */
#include "sim/check.h"

#include "sim/property/property.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { EVENTS_MAX = 5000000 }; /* the busiest worlds need some ten thousand */

static bool has(knell_mask set, knell_rank node)
{
    return set >> node & 1;
}

static knell_mask one(knell_rank node)
{
    return UINT32_C(1) << node;
}

knell_mask knell_check_sound(const struct knell_check *check)
{
    return check->all & ~(check->dead | check->left | check->condemned);
}

void knell_check_violate(struct knell_check *check, const struct knell_property *property, const char *format, ...)
{
    va_list arguments;
    if (check->violated)
        return;
    check->violated = property->name;
    va_start(arguments, format);
    vsnprintf(check->complaint, sizeof check->complaint, format, arguments);
    va_end(arguments);
    if (check->log)
        fprintf(check->log, "%10" PRId64 "  VIOLATION of %s: %s\n", check->world->now, property->name, check->complaint);
}

static void note(struct knell_check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct knell_check *check, const char *format, ...)
{
    va_list arguments;
    if (!check->log)
        return;
    fprintf(check->log, "%10" PRId64 "  ", check->world->now);
    va_start(arguments, format);
    vfprintf(check->log, format, arguments);
    va_end(arguments);
    fputc('\n', check->log);
}

/* ---- operations: each node goes through the list, one after the other ------------------------------------------------------------ */

static void proceed(struct knell_check *check, knell_rank node)
{
    struct knell_event propose = {.type = KNELL_EVENT_PROPOSE};
    uint32_t i = check->next_op[node];
    if (!check->world->alive[node] || has(check->fenced, node))
        return;
    while (i < check->plan.ops && !has(check->plan.member[check->plan.op[i].group], node))
        i++;
    check->next_op[node] = i;
    if (i == check->plan.ops || check->outcome[i][node].asked || !has(check->registered[check->plan.op[i].group], node))
        return;
    struct knell_outcome *outcome = &check->outcome[i][node];
    outcome->asked = true;
    outcome->brought = ~(UINT64_C(1) << node);
    propose.as.propose.group = check->group[check->plan.op[i].group].id;
    propose.as.propose.kind = check->plan.op[i].kind;
    propose.as.propose.size = sizeof outcome->brought;
    propose.as.propose.value = (const uint8_t *)&outcome->brought;
    propose.as.propose.acked = knell_node_failures(check->world->node[node], propose.as.propose.group);
    note(check, "node %u enters operation %u, kind %d in group %u", node, i, check->plan.op[i].kind,
         check->plan.op[i].group);
    knell_world_step(check->world, node, &propose);
}

static void on_decided(struct knell_check *check, knell_rank node, const struct knell_fact *fact)
{
    uint32_t i = check->next_op[node];
    assert(i < check->plan.ops);
    struct knell_outcome *outcome = &check->outcome[i][node];
    outcome->decided = true;
    outcome->flags = fact->flags;
    outcome->when = check->world->now;
    if (fact->value_size == sizeof outcome->value)
        memcpy(&outcome->value, fact->value, sizeof outcome->value);
    for (uint32_t r = 0; r < fact->dead_ranges; r++)
        for (knell_rank rank = fact->dead[r].first; rank <= fact->dead[r].last; rank++)
            outcome->dead |= one(rank);
    check->next_op[node]++;
    knell_world_alarm(check->world, check->world->now + 1); /* the next one, but not from within a step */
}

/* ---- facts ----------------------------------------------------------------------------------------------------------------------- */

/* Who is gone, or will be: an accused node only if a sound one has heard of it (the accuser may have died at once). */
static knell_mask gone_for_good(const struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check), heard = 0;
    for (knell_rank node = 0; node < check->plan.config.ranks; node++) {
        if (has(sound, node))
            heard |= check->failed_told[node];
        if (!check->world->alive[node])
            heard |= one(node);
    }
    return check->dead | check->left | (check->condemned & heard);
}

static bool everybody_knows(const struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check), gone = gone_for_good(check);
    for (knell_rank node = 0; node < check->plan.config.ranks; node++)
        if (has(sound, node) && (gone & ~(check->failed_told[node] | check->left_told[node])))
            return false;
    return true;
}

static void on_fact(void *context, struct knell_world *world, knell_rank node, const struct knell_fact *fact)
{
    struct knell_check *check = context;
    if (!world->alive[node])
        return;
    switch (fact->type) {
    case KNELL_FACT_FAILED:
        note(check, "node %u: %u failed, says %u (%s)", node, fact->rank, fact->by, knell_why_text(fact->why));
        check->failed_told[node] |= one(fact->rank);
        break;
    case KNELL_FACT_LEFT:
        note(check, "node %u: %u left", node, fact->rank);
        check->left_told[node] |= one(fact->rank);
        break;
    case KNELL_FACT_FENCED:
        note(check, "node %u is fenced by %u", node, fact->by);
        check->fenced |= one(node);
        knell_world_alarm(world, world->now + 1); /* it ends, but not from within its own step */
        break;
    case KNELL_FACT_REVOKED:
        note(check, "node %u: group %" PRIu64 " is revoked", node, fact->group);
        for (uint32_t g = 0; g < check->plan.groups; g++)
            if (check->group[g].id == fact->group)
                check->revoked[g] |= one(node);
        break;
    case KNELL_FACT_DECIDED:
        note(check, "node %u: decided, flags %u", node, fact->flags);
        on_decided(check, node, fact);
        break;
    }
    for (size_t i = 0; knell_properties[i]; i++)
        if (knell_properties[i]->fact)
            knell_properties[i]->fact(check, node, fact);
    if (everybody_knows(check))
        check->unstable_since = KNELL_NEVER;
}

static void on_crashed(void *context, struct knell_world *world, knell_rank node)
{
    struct knell_check *check = context;
    if (!has(check->left | check->condemned, node))
        check->dead |= one(node);
    note(check, "node %u dies", node);
    if (check->unstable_since == KNELL_NEVER) {
        check->unstable_since = world->now;
        check->unstable_deaths = 0;
    }
    check->unstable_deaths++;
}

/* ---- acts ------------------------------------------------------------------------------------------------------------------------ */

static void act_register(struct knell_check *check, knell_rank node, uint32_t g)
{
    struct knell_event event = {.type = KNELL_EVENT_GROUP};
    event.as.group.group = &check->group[g];
    check->registered[g] |= one(node);
    knell_world_step(check->world, node, &event);
    proceed(check, node);
}

static void act_suspect(struct knell_check *check, knell_rank node, knell_rank whom, bool accuse)
{
    struct knell_event event = {.type = KNELL_EVENT_SUSPECT};
    if (node == whom || (!accuse && check->world->alive[whom]))
        return;
    if (accuse && has(knell_check_sound(check), whom))
        check->condemned |= one(whom);
    event.as.suspect.rank = whom;
    event.as.suspect.why = accuse ? KNELL_WHY_OPERATOR : KNELL_WHY_KERNEL;
    knell_world_step(check->world, node, &event);
}

static void act_revoke(struct knell_check *check, knell_rank node, uint32_t g)
{
    struct knell_event event = {.type = KNELL_EVENT_REVOKE};
    event.as.revoke.group = check->group[g].id;
    if (!has(check->registered[g], node))
        return;
    check->revoke_began[g] = true;
    knell_world_step(check->world, node, &event);
}

static void perform(struct knell_check *check, const struct knell_act *act)
{
    struct knell_world *world = check->world;
    struct knell_event event = {.type = KNELL_EVENT_LEAVE};
    if (!world->alive[act->node] || has(check->fenced, act->node))
        return;
    switch (act->type) {
    case KNELL_ACT_CRASH:
        knell_world_crash(world, act->node);
        return;
    case KNELL_ACT_DOOM:
        knell_world_doom(world, act->node, act->number);
        return;
    case KNELL_ACT_LEAVE:
        note(check, "node %u leaves", act->node);
        check->left |= one(act->node);
        knell_world_step(world, act->node, &event);
        knell_world_crash(world, act->node);
        return;
    case KNELL_ACT_TRIGGER:
        note(check, "node %u has itself declared dead", act->node);
        check->condemned |= one(act->node);
        event.type = KNELL_EVENT_TRIGGER;
        knell_world_step(world, act->node, &event);
        knell_world_crash(world, act->node);
        return;
    case KNELL_ACT_REPORT:
    case KNELL_ACT_ACCUSE:
        act_suspect(check, act->node, act->number, act->type == KNELL_ACT_ACCUSE);
        return;
    case KNELL_ACT_RESUME:
        event.type = KNELL_EVENT_RESUMED;
        event.as.resumed.gap = act->number;
        knell_world_step(world, act->node, &event);
        return;
    case KNELL_ACT_REGISTER:
        act_register(check, act->node, act->number);
        return;
    case KNELL_ACT_PROCEED:
        proceed(check, act->node);
        return;
    case KNELL_ACT_REVOKE:
        act_revoke(check, act->node, act->number);
        return;
    }
}

/* What the plan has for now; then fenced nodes end, and whoever returned goes on. */
static void on_alarm(void *context, struct knell_world *world)
{
    struct knell_check *check = context;
    while (check->next_act < check->plan.acts && check->plan.act[check->next_act].time <= world->now)
        perform(check, &check->plan.act[check->next_act++]);
    for (knell_rank node = 0; node < check->plan.config.ranks; node++) {
        if (has(check->fenced, node))
            knell_world_crash(world, node);
        if (check->next_op[node] > 0)
            proceed(check, node);
    }
}

/* ---- a run ----------------------------------------------------------------------------------------------------------------------- */

static void prepare(struct knell_check *check, uint64_t key)
{
    memset(check, 0, sizeof *check);
    knell_check_plan_draw(&check->plan, key);
    check->all = check->plan.member[0];
    check->unstable_since = KNELL_NEVER;
    for (uint32_t g = 0; g < check->plan.groups; g++) {
        check->group[g] = (struct knell_group){.id = g * UINT64_C(7919), .member = check->members[g]};
        for (knell_rank node = 0; node < check->plan.config.ranks; node++)
            if (has(check->plan.member[g], node))
                check->members[g][check->group[g].size++] = node;
    }
    check->registered[0] = check->all;
}

static bool operations_done(const struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check);
    for (knell_rank node = 0; node < check->plan.config.ranks; node++) {
        uint32_t i = check->next_op[node];
        while (i < check->plan.ops && !has(check->plan.member[check->plan.op[i].group], node))
            i++;
        if (has(sound, node) && i < check->plan.ops)
            return false;
    }
    return true;
}

static bool is_settled(const struct knell_check *check)
{
    return check->next_act == check->plan.acts && check->world->doomed == 0 && everybody_knows(check) &&
           operations_done(check);
}

void knell_check_run(struct knell_check *check, uint64_t key, FILE *log)
{
    struct knell_limits limits = {.dead_ranges = 1};
    prepare(check, key);
    struct knell_config config = check->plan.config;
    struct knell_watch watch = {.context = check, .fact = on_fact, .crashed = on_crashed, .timer = on_alarm};
    check->world = knell_world_new(&config, check->plan.network, &limits);
    if (!check->world) {
        check->no_memory = true;
        return;
    }
    check->world->through_wire = check->plan.wire;
    check->log = log;
    knell_world_begin(check->world, key, &watch);
    for (uint32_t i = 0; i < check->plan.acts; i++)
        knell_world_alarm(check->world, check->plan.act[i].time);
    knell_time last = check->plan.acts ? check->plan.act[check->plan.acts - 1].time : 0;
    knell_time n = config.ranks, patience = last + (n + 2) * (n + 3) * config.delta + 64 * config.eta;
    knell_time calm = KNELL_NEVER; /* settled: a little longer, for what is still on its way */
    while (!check->violated && check->world->now < patience && knell_world_run_one(check->world)) {
        if (check->world->events > EVENTS_MAX)
            knell_check_violate(check, &knell_property_termination, "%d events: the world does not come to rest", EVENTS_MAX);
        check->settled = is_settled(check);
        if (!check->settled)
            calm = KNELL_NEVER;
        else if (calm == KNELL_NEVER)
            calm = check->world->now + 6 * config.delta;
        else if (check->world->now > calm)
            break;
    }
    for (size_t i = 0; knell_properties[i] && !check->violated; i++)
        if (knell_properties[i]->end)
            knell_properties[i]->end(check);
    check->no_memory = check->world->broken;
    knell_world_free(check->world);
    check->world = NULL;
}
