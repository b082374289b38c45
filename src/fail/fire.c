/* One rule: finding it and running its actions, left to right. A fault ends the list: what was done stands, the rest
 * and the goto do not happen, the node is not entered again, and a process that the rule would have left held is
 * continued. */
#include "fail/world.h"
#include "util/prng.h"

#include <string.h>

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static bool compare(int64_t a, enum knell__fail_relation relation, int64_t b)
{
    switch (relation) {
    case KNELL__FAIL_EQ:
        return a == b;
    case KNELL__FAIL_NE:
        return a != b;
    case KNELL__FAIL_LT:
        return a < b;
    case KNELL__FAIL_LE:
        return a <= b;
    case KNELL__FAIL_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static bool holds(struct knell_fail_world *w, uint32_t instance, struct knell__fail_slice conditions,
                  struct knell_fail_record *record)
{
    for (uint32_t i = conditions.first; i < conditions.first + conditions.count; i++) {
        const struct knell__fail_condition *c = &w->program->conditions[i];
        int64_t left, right;

        if (!knell__node_eval(w, instance, c->left, record, &left) ||
            !knell__node_eval(w, instance, c->right, record, &right) ||
            !compare(left, (enum knell__fail_relation)c->relation, right))
            return false;
    }
    return true;
}

bool knell__fire_means(const struct knell_fail_program *p, uint32_t function, const struct knell_fail_event *event)
{
    const struct knell_fail_function *asked = &p->functions[function], *called = &p->functions[event->subject];

    if (function == event->subject)
        return true;
    if (asked->library && (!called->library || strcmp(asked->library, called->library) != 0))
        return false;
    return knell_fail_function_means(p, function, event->symbol ? event->symbol : called->symbol) ||
           (event->alias && knell_fail_function_means(p, function, event->alias));
}

bool knell__fire_is_call(enum knell_fail_event_type type)
{
    return type == KNELL_FAIL_BEFORE || type == KNELL_FAIL_AFTER || type == KNELL_FAIL_INSIDE;
}

/* Within a call that another thread of the process has overtaken, the event knows better which one it is. */
uint64_t knell__fire_count(const struct knell__instance *in, uint32_t function, const struct knell_fail_event *event)
{
    bool known = event->type == KNELL_FAIL_INSIDE && event->subject == function && event->count > 0;

    return known ? event->count : in->calls[2 * function + (event->type == KNELL_FAIL_AFTER)];
}

bool knell__fire_is_for(const struct knell_fail_world *w, const struct knell__instance *in,
                        const struct knell__fail_rule *rule, const struct knell_fail_event *event)
{
    return knell__fire_means(w->program, rule->subject, event) &&
           (rule->count == 0 || rule->count == knell__fire_count(in, rule->subject, event));
}

/* A call is counted under each of its names: #k is compared with the count of the rule's own. */
static bool is_of(const struct knell_fail_world *w, const struct knell__instance *in,
                  const struct knell__fail_rule *rule, const struct knell_fail_event *event)
{
    if (rule->event != event->type)
        return false;
    if (!knell__fire_is_call(event->type))
        return rule->subject == event->subject;
    return knell__fire_is_for(w, in, rule, event) &&
           (event->type != KNELL_FAIL_INSIDE || rule->operation == event->operation);
}

const struct knell__fail_rule *knell__fire_find(struct knell_fail_world *w, uint32_t instance,
                                                const struct knell_fail_event *event, struct knell_fail_record *record)
{
    const struct knell__instance *in = &w->instances[instance];
    const struct knell__fail_node *node = in->node;
    const struct knell__fail_rule *rule, *end;

    if (!node)
        return NULL;
    rule = w->program->rules + node->rules.first;
    for (end = rule + node->rules.count; rule < end; rule++) {
        if (is_of(w, in, rule, event) && holds(w, instance, rule->conditions, record))
            return rule;
    }
    return NULL;
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

static bool aim(struct knell_fail_world *w, uint32_t instance, const struct knell__fail_act *act,
                const struct knell_fail_event *event, struct knell_fail_record *record, struct knell_fail_action *out)
{
    const struct knell__fail_dest *dest = &act->dest;
    int64_t index;

    out->first = dest->first;
    out->count = dest->count;
    if (dest->to == KNELL__FAIL_TO_FIXED)
        return true;
    out->count = 1;
    if (dest->to == KNELL__FAIL_TO_SENDER) {
        out->first = event->sender;
        return true;
    }
    if (!knell__node_eval(w, instance, dest->index, record, &index))
        return false;
    if (index < 0 || index >= dest->count) {
        knell__fault_add(w, record, (struct knell_fail_fault){KNELL_FAIL_FAULT_INDEX, act->at.line, act->at.column});
        return false;
    }
    out->first = dest->first + (uint32_t)index;
    return true;
}

/* halt, stop, continue and what else needs a process: done if it changes something, in vain otherwise. */
static void control(struct knell__instance *in, struct knell_fail_action *out)
{
    enum knell_fail_process is = (enum knell_fail_process)in->process;

    out->vain = is == KNELL_FAIL_NONE || (out->type == KNELL_FAIL_CONTINUE && is == KNELL_FAIL_RUNNING) ||
                (out->type == KNELL_FAIL_STOP && is == KNELL_FAIL_STOPPED);
    if (out->vain)
        return;
    if (out->type == KNELL_FAIL_HALT)
        in->process = KNELL_FAIL_NONE;
    else if (out->type == KNELL_FAIL_STOP)
        in->process = KNELL_FAIL_STOPPED;
    else if (out->type == KNELL_FAIL_CONTINUE)
        in->process = KNELL_FAIL_RUNNING;
}

/* A daemon beside the job cuts a machine off from everyone; one of the job cuts its own link to it, or itself off. */
static void link_of(const struct knell_fail_world *w, uint32_t instance, struct knell_fail_action *out)
{
    uint32_t self = w->first + instance;
    const struct knell__fail_place *place = &w->program->places[knell_fail_instance_place(w->program, self)];

    out->alone = !place->public.program || (out->count == 1 && out->first == self);
}

/* flip(a, b): which bits, is for the effector to draw, who knows how many there are; with this key. */
static bool draw_chance(struct knell_fail_world *w, uint32_t instance, const struct knell__fail_act *act,
                        struct knell_fail_record *record, struct knell_fail_action *out)
{
    struct knell__instance *in = &w->instances[instance];

    if (!knell__node_eval(w, instance, act->whole, record, &out->whole))
        return false;
    if (out->whole < 1 || out->value < 0 || out->value > out->whole) {
        knell__fault_add(w, record, (struct knell_fail_fault){KNELL_FAIL_FAULT_RANGE, act->at.line, act->at.column});
        return false;
    }
    out->key = knell_prng_at(in->key, in->draws++);
    return true;
}

static bool act_with_value(struct knell_fail_world *w, uint32_t instance, const struct knell__fail_act *act,
                           struct knell_fail_record *record, struct knell_fail_action *out)
{
    struct knell__instance *in = &w->instances[instance];

    if (act->type == KNELL_FAIL_FLIP && act->subject != KNELL_FAIL_NO_SUBJECT)
        out->value = (int64_t)(knell_prng_at(in->key, in->draws++) >> 1);
    else if (!knell__node_eval(w, instance, act->value, record, &out->value))
        return false;
    if (act->type == KNELL_FAIL_SLOW && (out->value < 1 || out->value > 100)) {
        knell__fault_add(w, record, (struct knell_fail_fault){KNELL_FAIL_FAULT_PERCENT, act->at.line, act->at.column});
        return false;
    }
    if (act->whole.count && !draw_chance(w, instance, act, record, out))
        return false;
    if (act->type == KNELL_FAIL_ASSIGN)
        in->variables[act->subject] = out->value;
    else
        control(in, out);
    return true;
}

/* False: a fault. *out is not yet among the record's actions. */
static bool perform(struct knell_fail_world *w, uint32_t instance, const struct knell__fail_act *act,
                    const struct knell_fail_event *event, struct knell_fail_record *record,
                    struct knell_fail_action *out)
{
    *out = (struct knell_fail_action){.type = act->type, .subject = act->subject, .text = act->text};
    switch (act->type) {
    case KNELL_FAIL_SEND:
        if (!aim(w, instance, act, event, record, out))
            return false;
        knell__mail_send(w, w->first + instance, out);
        return true;
    case KNELL_FAIL_CUT:
    case KNELL_FAIL_HEAL:
        if (!aim(w, instance, act, event, record, out))
            return false;
        link_of(w, instance, out);
        return true;
    case KNELL_FAIL_ASSIGN:
    case KNELL_FAIL_SET:
    case KNELL_FAIL_SIGNAL:
    case KNELL_FAIL_SLOW:
    case KNELL_FAIL_FLIP:
        return act_with_value(w, instance, act, record, out);
    case KNELL_FAIL_HALT:
    case KNELL_FAIL_STOP:
    case KNELL_FAIL_CONTINUE:
        control(&w->instances[instance], out);
        return true;
    default:
        return true; /* goto, stay and log change nothing by themselves */
    }
}

void knell__fire_continue(struct knell__instance *in, struct knell_fail_record *record)
{
    struct knell_fail_action *out = &record->actions[record->action_count++];

    *out = (struct knell_fail_action){.type = KNELL_FAIL_CONTINUE, .implied = true};
    control(in, out);
}

/* ---- firing ------------------------------------------------------------------------------------------------------ */

/* A process that ran up to this event goes on after it, and so does one whose rule could not be finished; one that
 * is loaded waits for a `continue` of the scenario. */
static void settle(struct knell__instance *in, const struct knell_fail_event *event, bool was_running, bool faulty,
                   struct knell_fail_record *record)
{
    bool holds_it = event->type <= KNELL_FAIL_WATCH && in->process == KNELL_FAIL_HELD;

    if (holds_it && (was_running || (faulty && event->type == KNELL_FAIL_ONLOAD)))
        knell__fire_continue(in, record);
}

void knell__fire(struct knell_fail_world *w, uint32_t instance, const struct knell__fail_rule *rule,
                 const struct knell_fail_event *event, bool was_running, struct knell_fail_record *record)
{
    struct knell__instance *in = &w->instances[instance];
    uint32_t node = (uint32_t)(in->node - (w->program->nodes + in->daemon->nodes.first));
    bool faulty = false, stay = false;

    record->outcome = KNELL_FAIL_FIRED;
    record->line = rule->at.line;
    record->column = rule->at.column;
    w->counters.fired++;
    for (uint32_t i = 0; i < rule->actions.count && !faulty; i++) {
        const struct knell__fail_act *act = &w->program->acts[rule->actions.first + i];

        faulty = !perform(w, instance, act, event, record, &record->actions[record->action_count]);
        record->action_count += !faulty;
        stay |= act->type == KNELL_FAIL_STAY;
        if (act->type == KNELL_FAIL_GOTO)
            node = act->subject;
    }
    settle(in, event, was_running, faulty, record);
    if (!faulty && !stay)
        knell__node_enter(w, instance, node, record);
}
