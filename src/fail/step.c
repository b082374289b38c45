/* The order of things at one instant: an event that the driver feeds is taken at once; without one, first the
 * mailboxes of those whose state changed, then the next message that arrives, then the next timer. Each call takes
 * one. */
#include "fail/world.h"

#include <string.h>

static void begin(struct knell_fail_world *w, struct knell_fail_record *record, uint32_t instance)
{
    record->now = w->now;
    record->instance = w->first + instance;
    record->line = record->column = 0;
    record->entered = false;
    record->action_count = record->fault_count = 0;
    record->event = (struct knell_fail_event){0};
}

static int finish(struct knell_fail_world *w, struct knell_fail_record *record)
{
    record->sequence = ++w->counters.records;
    return 1;
}

/* ---- events of a process ----------------------------------------------------------------------------------------- */

/* A call is counted at its entry, for inside() too. */
static bool is_named(const struct knell_fail_world *w, const struct knell__instance *in, uint32_t function,
                     enum knell_fail_event_type type)
{
    if (!in->node)
        return false;
    const struct knell__fail_rule *rule = w->program->rules + in->node->rules.first;
    for (uint32_t i = 0; i < in->node->rules.count; i++) {
        bool counts = rule[i].event == type || (rule[i].event == KNELL_FAIL_INSIDE && type == KNELL_FAIL_BEFORE);

        if (counts && rule[i].subject == function)
            return true;
    }
    return false;
}

/* Under each name that the node has for it, and that it was reported by. */
static uint64_t count_call(const struct knell_fail_world *w, struct knell__instance *in,
                           const struct knell_fail_event *event)
{
    bool after = event->type == KNELL_FAIL_AFTER;
    uint64_t *calls = &in->calls[2 * event->subject + after];

    for (uint32_t f = 0; f < w->program->function_count; f++) {
        if (f != event->subject && knell__fire_means(w->program, f, event) && is_named(w, in, f, event->type))
            in->calls[2 * f + after]++;
    }
    *calls = event->count > 0 ? event->count : *calls + 1;
    return *calls;
}

/* What the event says about the process; false: there is none to whom it could happen. */
static bool update_process(struct knell_fail_world *w, struct knell__instance *in, struct knell_fail_event *event)
{
    if (event->type == KNELL_FAIL_ONLOAD) {
        in->process = KNELL_FAIL_HELD;
        memset(in->calls, 0, (size_t)2 * w->program->function_count * sizeof *in->calls);
        return true;
    }
    if (in->process == KNELL_FAIL_NONE)
        return false;
    if (event->type == KNELL_FAIL_ONEXIT || event->type == KNELL_FAIL_ONERROR)
        in->process = KNELL_FAIL_NONE;
    else if (in->process == KNELL_FAIL_RUNNING)
        in->process = KNELL_FAIL_HELD;
    if (event->type == KNELL_FAIL_BEFORE || event->type == KNELL_FAIL_AFTER)
        event->count = count_call(w, in, event);
    else if (event->type == KNELL_FAIL_INSIDE)
        event->count = knell__fire_count(in, event->subject, event);
    return true;
}

static int take_process_event(struct knell_fail_world *w, uint32_t instance, struct knell_fail_record *record)
{
    struct knell__instance *in = &w->instances[instance];
    struct knell_fail_event *event = &record->event;
    bool was_running = in->process == KNELL_FAIL_RUNNING && event->type != KNELL_FAIL_ONLOAD;
    const struct knell__fail_rule *rule;

    if (!update_process(w, in, event)) {
        record->outcome = KNELL_FAIL_NO_PROCESS;
        return finish(w, record);
    }
    rule = knell__fire_find(w, instance, event, record);
    if (rule) {
        if (knell__fire_is_call(event->type)) { /* by the name that the rule has for it */
            event->count = knell__fire_count(in, rule->subject, event);
            event->subject = rule->subject;
        }
        knell__fire(w, instance, rule, event, was_running, record);
        knell__dirty_add(w, instance);
        return finish(w, record);
    }
    record->outcome = KNELL_FAIL_NO_RULE;
    if (in->process == KNELL_FAIL_HELD && (was_running || event->type == KNELL_FAIL_ONLOAD))
        knell__fire_continue(in, record);
    return finish(w, record);
}

/* ---- messages and timers ----------------------------------------------------------------------------------------- */

/* Too many messages taken at this instant: the instance rests, said once. */
static bool must_rest(struct knell_fail_world *w, uint32_t instance, struct knell_fail_record *record)
{
    struct knell__instance *in = &w->instances[instance];
    knell_time wake;

    if (in->burst_time != w->now) {
        in->burst_time = w->now;
        in->burst = 0;
    }
    if (in->burst++ < w->config.rules_per_instant)
        return false;
    if (__builtin_add_overflow(w->now, KNELL_FAIL_REST_NS, &wake))
        wake = KNELL_NEVER;
    in->resting = true;
    knell__timers_arm(&w->timers, in->first_timer, wake);
    w->counters.rests++;
    record->outcome = KNELL_FAIL_RESTS;
    return true;
}

static struct knell_fail_event message_event(const struct knell_fail_world *w, uint32_t mail)
{
    const struct knell__mail *m = &w->mail[mail];

    return (struct knell_fail_event){
        .type = KNELL_FAIL_MESSAGE, .instance = w->first + m->to, .subject = m->message, .sender = m->sender};
}

static int take_message(struct knell_fail_world *w, uint32_t mail, const struct knell__fail_rule *rule,
                        struct knell_fail_record *record)
{
    uint32_t instance = w->mail[mail].to;

    if (must_rest(w, instance, record))
        return finish(w, record);
    knell__mail_take(w, mail);
    knell__fire(w, instance, rule, &record->event, false, record);
    knell__dirty_add(w, instance);
    return finish(w, record);
}

/* The oldest message with an enabled rule. 0: there is none, and nothing to report. */
static int look_through(struct knell_fail_world *w, uint32_t instance, struct knell_fail_record *record)
{
    struct knell__instance *in = &w->instances[instance];

    begin(w, record, instance);
    if (in->resting || !in->node || !(in->waiting_mask & in->node->messages))
        return 0;
    for (uint32_t mail = in->mailbox.first; mail != KNELL__NOTHING; mail = w->mail[mail].next) {
        const struct knell__fail_rule *rule;

        if (!(in->node->messages & (UINT64_C(1) << (w->mail[mail].message % 64))))
            continue;
        record->event = message_event(w, mail);
        rule = knell__fire_find(w, instance, &record->event, record);
        if (rule)
            return take_message(w, mail, rule, record);
    }
    record->outcome = KNELL_FAIL_FAULTY;
    return record->fault_count > 0 ? finish(w, record) : 0;
}

/* A message that has just come: the older ones have no enabled rule, so only this one is tried. */
static int take_arrival(struct knell_fail_world *w, uint32_t mail, struct knell_fail_record *record)
{
    uint32_t instance = w->mail[mail].to;
    struct knell__instance *in = &w->instances[instance];
    const struct knell__fail_rule *rule = NULL;

    begin(w, record, instance);
    record->event = message_event(w, mail);
    if (!in->resting)
        rule = knell__fire_find(w, instance, &record->event, record);
    if (!rule) {
        record->outcome = KNELL_FAIL_WAITS;
        return finish(w, record);
    }
    return take_message(w, mail, rule, record);
}

static uint32_t decl_of_timer(const struct knell_fail_world *w, const struct knell__instance *in, uint32_t slot)
{
    struct knell__fail_slice decls = slot < in->daemon->own_timers ? in->daemon->decls : in->node->decls;

    for (uint32_t i = decls.first; i < decls.first + decls.count; i++) {
        if (w->program->decls[i].type == KNELL__FAIL_TIME && w->program->decls[i].slot == slot)
            return i;
    }
    return 0; /* not reached: an armed timer is one of these */
}

static int take_timer(struct knell_fail_world *w, uint32_t instance, uint32_t slot, struct knell_fail_record *record)
{
    struct knell__instance *in = &w->instances[instance];
    const struct knell__fail_rule *rule;

    begin(w, record, instance);
    record->event = (struct knell_fail_event){
        .type = KNELL_FAIL_TIMER, .instance = record->instance, .subject = decl_of_timer(w, in, slot)};
    rule = knell__fire_find(w, instance, &record->event, record);
    if (!rule) {
        record->outcome = KNELL_FAIL_NO_RULE;
        return finish(w, record);
    }
    knell__fire(w, instance, rule, &record->event, false, record);
    knell__dirty_add(w, instance);
    return finish(w, record);
}

/* 0: it was the end of a rest. Timers of one who rests are taken all the same: each needs at least 1 ms, so no
 * number of them can stop the time. */
static int expire(struct knell_fail_world *w, uint32_t timer, struct knell_fail_record *record)
{
    uint32_t instance = w->timer_owner[timer];
    struct knell__instance *in = &w->instances[instance];

    knell__timers_cancel(&w->timers, timer);
    if (timer == in->first_timer) {
        in->resting = false;
        knell__dirty_add(w, instance);
        return 0;
    }
    return take_timer(w, instance, timer - in->first_timer - 1, record);
}

/* ---- the step ---------------------------------------------------------------------------------------------------- */

static int report_start(struct knell_fail_world *w, struct knell_fail_record *record)
{
    const struct knell__start_fault *f = &w->start_faults[w->start_fault_next++];

    begin(w, record, f->instance);
    record->outcome = KNELL_FAIL_FAULTY;
    record->faults[record->fault_count++] = f->fault;
    return finish(w, record);
}

static int take_next(struct knell_fail_world *w, struct knell_fail_record *record)
{
    uint32_t next;

    if (w->start_fault_next < w->start_fault_count)
        return report_start(w, record);
    for (;;) {
        while (w->dirty.first != KNELL__NOTHING) {
            next = w->dirty.first;
            knell__dirty_drop(w);
            if (look_through(w, next, record))
                return 1;
        }
        next = knell__mail_land(w, w->now);
        if (next != KNELL__NOTHING)
            return take_arrival(w, next, record);
        next = knell__timers_due(&w->timers, w->now);
        if (next == KNELL__NOTHING)
            return 0;
        if (expire(w, next, record))
            return 1;
    }
}

static bool valid(const struct knell_fail_world *w, const struct knell_fail_event *event)
{
    const struct knell_fail_program *p = w->program;

    if (!knell__world_hosts(w, event->instance))
        return false;
    switch (event->type) {
    case KNELL_FAIL_ONLOAD:
    case KNELL_FAIL_ONEXIT:
    case KNELL_FAIL_ONERROR:
        return event->subject == 0;
    case KNELL_FAIL_BEFORE:
    case KNELL_FAIL_AFTER:
        return event->subject < p->function_count;
    case KNELL_FAIL_INSIDE:
        return event->subject < p->function_count && event->operation > 0;
    case KNELL_FAIL_WATCH:
        return event->subject < p->variable_count;
    case KNELL_FAIL_MESSAGE:
        return event->subject < p->message_count && event->sender < p->instance_count;
    default:
        return false;
    }
}

/* A message from elsewhere lands behind those that have landed and before those that are still on their way. */
static int take_remote(struct knell_fail_world *w, uint32_t instance, struct knell_fail_record *record)
{
    struct knell__list flying = w->flying;
    const struct knell_fail_event *event = &record->event;
    uint32_t mail = KNELL__NOTHING;

    w->flying = (struct knell__list){KNELL__NOTHING, KNELL__NOTHING};
    if (w->instances[instance].daemon && knell__mail_put(w, instance, event->sender, event->subject, w->now))
        mail = knell__mail_land(w, w->now);
    w->flying = flying;
    if (mail != KNELL__NOTHING)
        return take_arrival(w, mail, record);
    record->outcome = KNELL_FAIL_DROPPED;
    return finish(w, record);
}

int knell_fail_step(struct knell_fail_world *w, knell_time now, const struct knell_fail_event *event,
                    struct knell_fail_record *record)
{
    uint32_t instance;

    if (now < w->now || (event && !valid(w, event)))
        return KNELL_EINVAL;
    w->now = now;
    if (!event)
        return take_next(w, record);
    instance = event->instance - w->first;
    begin(w, record, instance);
    record->event = *event;
    if (event->type == KNELL_FAIL_MESSAGE)
        return take_remote(w, instance, record);
    return take_process_event(w, instance, record);
}
