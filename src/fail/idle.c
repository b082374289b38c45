/* Looking ahead: before which operation of a call somebody waits; which calls of a process would find no rule, so that nobody need be held there. Only what counts and draws decide can be
 * known in advance. Draws are made in the order of the calls: they are the same whether a call is looked at or passes. */
#include "fail/world.h"

static struct knell__instance *find(const struct knell_fail_world *w, uint32_t instance)
{
    struct knell__instance *in =
        instance >= w->first && instance - w->first < w->count ? &w->instances[instance - w->first] : NULL;

    return in && in->node && in->process != KNELL_FAIL_NONE ? in : NULL;
}

bool knell_fail_stop_inside(const struct knell_fail_world *w, const struct knell_fail_event *event,
                            struct knell_fail_event *stop)
{
    const struct knell__instance *in = find(w, event->instance);
    const struct knell__fail_rule *first = NULL;

    if (event->type != KNELL_FAIL_BEFORE && event->type != KNELL_FAIL_INSIDE)
        return false;
    for (uint32_t i = 0; in && i < in->node->rules.count; i++) {
        const struct knell__fail_rule *rule = &w->program->rules[in->node->rules.first + i];

        if (rule->event == KNELL_FAIL_INSIDE && rule->operation > event->operation &&
            (!first || rule->operation < first->operation) && knell__fire_is_for(w, in, rule, event))
            first = rule;
    }
    if (!first)
        return false;
    *stop = *event;
    stop->type = KNELL_FAIL_INSIDE;
    stop->count = knell__fire_count(in, first->subject, event);
    stop->subject = first->subject;
    stop->operation = first->operation;
    stop->arguments = NULL;
    stop->argument_count = 0;
    return true;
}

static bool is_known(const struct knell_fail_world *w, struct knell__fail_slice code)
{
    for (uint32_t i = code.first; i < code.first + code.count; i++) {
        if (w->program->ops[i].code == KNELL__FAIL_READ || w->program->ops[i].code == KNELL__FAIL_ARGUMENT)
            return false;
    }
    return true;
}

static bool conditions_are_known(const struct knell_fail_world *w, const struct knell__fail_rule *rule)
{
    for (uint32_t i = 0; i < rule->conditions.count; i++) {
        const struct knell__fail_condition *c = &w->program->conditions[rule->conditions.first + i];

        if (!is_known(w, c->left) || !is_known(w, c->right))
            return false;
    }
    return true;
}

/* Is it the only function of the node, with conditions that can be known? */
static bool can_look_ahead(const struct knell_fail_world *w, const struct knell__instance *in,
                           struct knell_fail_probe probe)
{
    bool named = false;

    for (uint32_t i = 0; i < in->node->rules.count; i++) {
        const struct knell__fail_rule *rule = &w->program->rules[in->node->rules.first + i];

        if (!knell__fire_is_call(rule->event))
            continue;
        if (rule->event != probe.type || rule->subject != probe.subject)
            return false;
        if (rule->event != KNELL_FAIL_INSIDE && !conditions_are_known(w, rule)) /* inside: not asked at the entry */
            return false;
        named = true;
    }
    return named;
}

/* One call: counts and draws go on as if it had been an event. True: nothing would happen. */
static bool pass(struct knell_fail_world *w, uint32_t instance, struct knell_fail_probe probe)
{
    struct knell_fail_event event = {.type = probe.type, .instance = w->first + instance, .subject = probe.subject};
    struct knell_fail_record record;

    record.action_count = record.fault_count = 0;
    record.event = event;
    w->instances[instance].calls[2 * probe.subject + (probe.type == KNELL_FAIL_AFTER)]++;
    if (probe.type == KNELL_FAIL_INSIDE)
        return !knell_fail_stop_inside(w, &event, &(struct knell_fail_event){0});
    return !knell__fire_find(w, instance, &event, &record) && record.fault_count == 0;
}

uint32_t knell_fail_idle(struct knell_fail_world *w, uint32_t instance, struct knell_fail_probe probe, uint32_t most)
{
    struct knell__instance *in = find(w, instance);
    struct knell_fail_counters counters = w->counters;
    uint64_t *calls, had, drawn;
    uint32_t idle = 0;

    if (!in || !knell__fire_is_call(probe.type) || !can_look_ahead(w, in, probe))
        return 0;
    calls = &in->calls[2 * probe.subject + (probe.type == KNELL_FAIL_AFTER)];
    had = *calls;
    drawn = in->draws;
    while (idle < most && pass(w, instance - w->first, probe))
        idle++;
    *calls = had;
    in->draws = drawn;
    w->counters = counters;
    return idle;
}

void knell_fail_passed(struct knell_fail_world *w, uint32_t instance, struct knell_fail_probe probe, uint32_t calls)
{
    for (uint32_t i = 0; i < calls && find(w, instance); i++)
        pass(w, instance - w->first, probe);
}

static bool only_flips(const struct knell_fail_world *w, const struct knell__fail_rule *rule)
{
    bool stays = false;

    for (uint32_t i = 0; i < rule->actions.count; i++) {
        const struct knell__fail_act *act = &w->program->acts[rule->actions.first + i];

        if (act->type == KNELL_FAIL_STAY)
            stays = true;
        else if (act->type != KNELL_FAIL_FLIP || act->subject != KNELL_FAIL_NO_SUBJECT || !is_known(w, act->value) ||
                 !is_known(w, act->whole))
            return false;
    }
    return stays && rule->count == 0;
}

bool knell_fail_only_flips(const struct knell_fail_world *w, uint32_t instance, struct knell_fail_probe probe)
{
    struct knell__instance *in = find(w, instance);

    if (!in || probe.type != KNELL_FAIL_BEFORE || !can_look_ahead(w, in, probe))
        return false;
    for (uint32_t i = 0; i < in->node->rules.count; i++) {
        const struct knell__fail_rule *rule = &w->program->rules[in->node->rules.first + i];

        if (knell__fire_is_call(rule->event) && !only_flips(w, rule))
            return false;
    }
    return true;
}
