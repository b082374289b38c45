/* Entering a node: `always` variables are computed anew, a plain int on the first entry, the node's timers are armed
 * and those of the node left are cancelled. What cannot be computed is a fault and leaves the old value, or the
 * timer unarmed. */
#include "fail/eval.h"
#include "fail/world.h"

void knell__fault_add(struct knell_fail_world *w, struct knell_fail_record *record, struct knell_fail_fault fault)
{
    w->counters.faults++;
    if (record->fault_count < KNELL_FAIL_FAULTS_MAX)
        record->faults[record->fault_count] = fault;
    record->fault_count++;
}

struct reader {
    const struct knell_fail_world *world;
    const struct knell_fail_record *record;
    uint32_t instance;
};

/* What an earlier action of the same rule wrote counts, though the driver carries it out only later. */
static bool read_variable(void *context, uint32_t variable, int64_t *value)
{
    const struct reader *r = context;
    const struct knell_fail_config *config = &r->world->config;

    for (uint32_t i = r->record->action_count; i-- > 0;) {
        const struct knell_fail_action *a = &r->record->actions[i];

        if (a->type == KNELL_FAIL_SET && a->subject == variable && !a->vain) {
            *value = a->value;
            return true;
        }
    }
    if (!config->read || r->world->instances[r->instance].process == KNELL_FAIL_NONE)
        return false;
    return config->read(config->driver, r->world->first + r->instance, variable, value);
}

bool knell__node_eval(struct knell_fail_world *w, uint32_t instance, struct knell__fail_slice code,
                      struct knell_fail_record *record, int64_t *result)
{
    struct knell__instance *in = &w->instances[instance];
    struct reader reader = {w, record, instance};
    struct knell__machine m = {
        .ops = w->program->ops,
        .variables = in->variables,
        .key = in->key,
        .draws = &in->draws,
        .reader = &reader,
        .read = read_variable,
        .arguments = record->event.arguments,
        .argument_count = record->event.type == KNELL_FAIL_BEFORE ? record->event.argument_count : 0,
    };

    if (knell__eval(&m, code, result))
        return true;
    knell__fault_add(w, record, m.fault);
    return false;
}

static void arm(struct knell_fail_world *w, uint32_t instance, const struct knell__fail_decl *d,
                struct knell_fail_record *record)
{
    struct knell_fail_fault fault = {KNELL_FAIL_FAULT_TIMER, d->at.line, d->at.column};
    int64_t value, ns;
    knell_time deadline;

    if (!knell__node_eval(w, instance, d->value, record, &value))
        return;
    if (value < 0)
        knell__fault_add(w, record, fault);
    if (value < 1) {
        ns = KNELL_FAIL_REST_NS;
    } else if (__builtin_mul_overflow(value, d->unit_ns, &ns)) {
        knell__fault_add(w, record, fault);
        return;
    }
    if (__builtin_add_overflow(w->now, ns, &deadline)) {
        knell__fault_add(w, record, fault);
        return;
    }
    knell__timers_arm(&w->timers, w->instances[instance].first_timer + 1 + d->slot, deadline);
}

static void set(struct knell_fail_world *w, uint32_t instance, const struct knell__fail_decl *d,
                struct knell_fail_record *record)
{
    int64_t value;

    if (knell__node_eval(w, instance, d->value, record, &value))
        w->instances[instance].variables[d->slot] = value;
}

static void cancel_node_timers(struct knell_fail_world *w, const struct knell__instance *in)
{
    for (uint32_t slot = in->daemon->own_timers; slot < in->daemon->timers; slot++)
        knell__timers_cancel(&w->timers, in->first_timer + 1 + slot);
}

void knell__node_enter(struct knell_fail_world *w, uint32_t instance, uint32_t node, struct knell_fail_record *record)
{
    struct knell__instance *in = &w->instances[instance];
    const struct knell_fail_program *p = w->program;
    struct knell__fail_slice own = in->daemon->decls;
    bool starts = in->node == NULL; /* then those of the daemon have just been computed */

    cancel_node_timers(w, in);
    in->node = &p->nodes[in->daemon->nodes.first + node];
    record->entered = true;
    for (uint32_t i = own.first; i < own.first + own.count && !starts; i++) {
        if (p->decls[i].type == KNELL__FAIL_ALWAYS)
            set(w, instance, &p->decls[i], record);
    }
    for (uint32_t i = in->node->decls.first; i < in->node->decls.first + in->node->decls.count; i++) {
        const struct knell__fail_decl *d = &p->decls[i];

        if (d->type == KNELL__FAIL_TIME)
            arm(w, instance, d, record);
        else if (d->type == KNELL__FAIL_ALWAYS || !in->visited[node])
            set(w, instance, d, record);
    }
    in->visited[node] = 1;
}

/* The daemon's own declarations, in the order of the text, then its first node. */
void knell__node_start(struct knell_fail_world *w, uint32_t instance, struct knell_fail_record *record)
{
    struct knell__instance *in = &w->instances[instance];
    const struct knell_fail_program *p = w->program;

    if (!in->daemon)
        return;
    for (uint32_t i = 0; i < in->daemon->decls.count; i++) {
        const struct knell__fail_decl *d = &p->decls[in->daemon->decls.first + i];

        if (d->type == KNELL__FAIL_TIME)
            arm(w, instance, d, record);
        else
            set(w, instance, d, record);
    }
    if (in->daemon->nodes.count > 0)
        knell__node_enter(w, instance, 0, record);
}
