/* check: runs a drawn world; see check.h. */
#include "sim/check.h"
#include "sim/outage.h"

#include "sim/property/property.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { EVENTS_MAX = 5000000 }; /* the busiest worlds need some ten thousand */

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
        fprintf(check->log, "%10" PRId64 "  VIOLATION of %s: %s\n", check->world->now, property->name,
                check->complaint);
}

void knell__check_note(struct knell_check *check, const char *format, ...)
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

/* ---- facts ----------------------------------------------------------------------------------------------------------------------- */

/* Who is gone, or will be: an accused node only if a sound one has heard of it (the accuser may have died at once). */
static knell_mask gone_for_good(const struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check), heard = 0;
    for (knell_rank node = 0; node < check->plan.config.ranks; node++) {
        if (knell__has(sound, node))
            heard |= check->failed_told[node];
        if (!check->world->alive[node])
            heard |= knell__one(node);
    }
    return check->dead | check->left | (check->condemned & heard);
}

static bool everybody_knows(const struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check), gone = gone_for_good(check);
    for (knell_rank node = 0; node < check->plan.config.ranks; node++)
        if (knell__has(sound, node) && (gone & ~(check->failed_told[node] | check->left_told[node])))
            return false;
    return true;
}

static const struct knell_property *const *properties_of(const struct knell_check *check)
{
    return check->plan.splits ? knell_split_properties : knell_properties;
}

static void on_fact(void *context, struct knell_world *world, knell_rank node, const struct knell_fact *fact)
{
    struct knell_check *check = context;
    if (!world->alive[node])
        return;
    switch (fact->type) {
    case KNELL_FACT_FAILED:
        knell__check_note(check, "node %u: %u failed, says %u (%s)", node, fact->rank, fact->by,
                          knell_why_text(fact->why));
        check->failed_told[node] |= knell__one(fact->rank);
        break;
    case KNELL_FACT_LEFT:
        knell__check_note(check, "node %u: %u left", node, fact->rank);
        check->left_told[node] |= knell__one(fact->rank);
        break;
    case KNELL_FACT_FENCED:
        knell__check_note(check, "node %u is fenced by %u", node, fact->by);
        check->fenced |= knell__one(node);
        knell_world_alarm(world, world->now + 1); /* it ends, but not from within its own step */
        break;
    case KNELL_FACT_SPLIT:
        knell__check_note(check, "node %u ends: %u here, %u silent", node, fact->sides.here, fact->sides.silent);
        check->split_off |= knell__one(node);
        knell_world_alarm(world, world->now + 1);
        break;
    case KNELL_FACT_REVOKED:
        knell__check_note(check, "node %u: group %" PRIu64 " is revoked", node, fact->group);
        for (uint32_t g = 0; g < check->plan.groups; g++)
            if (check->group[g].id == fact->group)
                check->revoked[g] |= knell__one(node);
        break;
    case KNELL_FACT_DECIDED:
        knell__check_note(check, "node %u: decided, flags %u", node, fact->flags);
        knell__check_on_decided(check, node, fact);
        break;
    }
    const struct knell_property *const *property = properties_of(check);
    for (size_t i = 0; property[i]; i++)
        if (property[i]->fact)
            property[i]->fact(check, node, fact);
    if (everybody_knows(check))
        check->unstable_since = KNELL_NEVER;
}

static void on_crashed(void *context, struct knell_world *world, knell_rank node)
{
    struct knell_check *check = context;
    if (knell__has(check->leaving, node) && knell_node_state(world->node[node]) != KNELL_STATE_LEFT)
        check->left &= ~knell__one(node); /* it did not get away */
    check->leaving &= ~knell__one(node);
    if (!knell__has(check->left | check->condemned, node))
        check->dead |= knell__one(node);
    knell__check_note(check, "node %u dies", node);
    if (check->unstable_since == KNELL_NEVER) {
        check->unstable_since = world->now;
        check->unstable_deaths = 0;
    }
    check->unstable_deaths++;
}

/* ---- a run ----------------------------------------------------------------------------------------------------------------------- */

static void prepare(struct knell_check *check, enum knell_edge edge, uint64_t key)
{
    memset(check, 0, sizeof *check);
    knell_check_plan_draw(&check->plan, edge, key);
    check->all = check->plan.member[0];
    check->unstable_since = KNELL_NEVER;
    for (uint32_t g = 0; g < check->plan.groups; g++) {
        check->group[g] = (struct knell_group){.id = g * UINT64_C(7919), .member = check->members[g]};
        for (knell_rank node = 0; node < check->plan.config.ranks; node++)
            if (knell__has(check->plan.member[g], node))
                check->members[g][check->group[g].size++] = node;
    }
    check->registered[0] = check->all;
}

static bool operations_done(const struct knell_check *check)
{
    knell_mask sound = knell_check_sound(check);
    for (knell_rank node = 0; node < check->plan.config.ranks; node++)
        if (knell__has(sound, node) && !knell__check_is_done(check, node))
            return false;
    return check->leaving == 0;
}

static bool is_settled(const struct knell_check *check)
{
    if (check->plan.splits) /* they are run to the end of their time */
        return false;
    return check->next_act == check->plan.acts && check->world->doomed == 0 && everybody_knows(check) &&
           operations_done(check);
}

void knell_check_run(struct knell_check *check, enum knell_edge edge, uint64_t key, FILE *log)
{
    struct knell_limits limits = {.dead_ranges = 1};
    prepare(check, edge, key);
    struct knell_config config = check->plan.config;
    struct knell_watch watch = {
        .context = check, .fact = on_fact, .crashed = on_crashed, .timer = knell__check_on_alarm};
    check->world = knell_world_new(&config, check->plan.network, &limits);
    if (!check->world) {
        check->no_memory = true;
        return;
    }
    check->world->through_wire = check->plan.wire;
    if (check->plan.splits && !(check->world->outage = knell_outage_new(config.ranks))) {
        knell_world_free(check->world);
        check->no_memory = true;
        return;
    }
    if (check->plan.splits)
        check->world->outage->repeats = true;
    check->log = log;
    knell_world_begin(check->world, key, &watch);
    for (uint32_t i = 0; i < check->plan.acts; i++)
        knell_world_alarm(check->world, check->plan.act[i].time);
    knell_time last = check->plan.acts ? check->plan.act[check->plan.acts - 1].time : 0;
    knell_time n = config.ranks, latest = last + (n + 2) * (n + 3) * config.delta + 64 * config.eta;
    if (check->plan.splits)
        latest = last + knell__check_calm(&check->plan);
    knell_time calm = KNELL_NEVER; /* settled: a little longer, for what is still on its way */
    while (!check->violated && check->world->now < latest && knell_world_run_one(check->world)) {
        knell__check_see_off(check);
        if (check->world->events > EVENTS_MAX)
            knell_check_violate(check, &knell_property_termination, "%d events: the world does not come to rest",
                                EVENTS_MAX);
        check->settled = is_settled(check);
        if (!check->settled)
            calm = KNELL_NEVER;
        else if (calm == KNELL_NEVER)
            calm = check->world->now + 6 * config.delta;
        else if (check->world->now > calm)
            break;
    }
    const struct knell_property *const *property = properties_of(check);
    for (size_t i = 0; property[i] && !check->violated; i++)
        if (property[i]->end)
            property[i]->end(check);
    check->no_memory = check->world->broken;
    knell_outage_free(check->world->outage);
    knell_world_free(check->world);
    check->world = NULL;
}
