/* Warnings about a program that is correct: rules that cannot fire, nodes nobody reaches, processes that would run
 * without anyone noticing, messages nobody sends or takes, daemons and timers without use. */
#include "fail/compile.h"

/* Does rule a take whatever rule b could? */
static bool takes_all_of(const struct knell_fail_program *p, const struct knell__fail_rule *a,
                         const struct knell__fail_rule *b)
{
    bool calls = a->event == KNELL_FAIL_BEFORE || a->event == KNELL_FAIL_AFTER || a->event == KNELL_FAIL_INSIDE;

    if (a->event != b->event || a->conditions.count > 0 || a->operation != b->operation)
        return false;
    if (a->subject == b->subject)
        return a->count == 0 || a->count == b->count;
    return calls && a->count == 0 && !p->functions[a->subject].library &&
           knell_fail_function_means(p, a->subject, p->functions[b->subject].symbol);
}

static void warn_dead_rules(struct knell__compiler *c, const struct knell__fail_node *node)
{
    const struct knell__fail_rule *rules = c->program->rules + node->rules.first;

    for (uint32_t i = 0; i < node->rules.count && !knell__notes_enough(c->notes); i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (takes_all_of(c->program, &rules[j], &rules[i])) {
                knell__notes_warn(c->notes, rules[i].at,
                                  "this rule never fires: the one at line %u takes its event always", rules[j].at.line);
                break;
            }
        }
    }
}

/* `reached` holds 1 for found, 2 for looked at. */
static void warn_dead_nodes(struct knell__compiler *c, const struct knell__fail_daemon *daemon, uint8_t *reached)
{
    const struct knell_fail_program *p = c->program;
    bool again = daemon->nodes.count > 0;

    memset(reached, 0, daemon->nodes.count);
    for (reached[0] = 1; again;) {
        again = false;
        for (uint32_t n = 0; n < daemon->nodes.count; n++) {
            const struct knell__fail_node *node = &p->nodes[daemon->nodes.first + n];

            if (reached[n] != 1)
                continue;
            reached[n] = 2;
            again = true;
            for (uint32_t r = node->rules.first; r < node->rules.first + node->rules.count; r++) {
                const struct knell__fail_slice a = p->rules[r].actions;
                const struct knell__fail_act *last = a.count > 0 ? &p->acts[a.first + a.count - 1] : NULL;

                if (last && last->type == KNELL_FAIL_GOTO && reached[last->subject] == 0)
                    reached[last->subject] = 1;
            }
        }
    }
    for (uint32_t n = 0; n < daemon->nodes.count; n++) {
        if (reached[n] == 0)
            knell__notes_warn(c->notes, p->nodes[daemon->nodes.first + n].at,
                              "node %s is unreachable: no goto leads to it", p->nodes[daemon->nodes.first + n].name);
    }
}

static bool has_event(const struct knell_fail_program *p, uint32_t daemon, enum knell_fail_event_type event,
                      uint32_t subject)
{
    struct knell__fail_slice nodes = p->daemons[daemon].nodes;

    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        for (uint32_t r = 0; r < p->nodes[n].rules.count; r++) {
            const struct knell__fail_rule *rule = &p->rules[p->nodes[n].rules.first + r];

            if (rule->event == event && rule->subject == subject)
                return true;
        }
    }
    return false;
}

static void warn_timer(struct knell__compiler *c, const struct knell__fail_daemon *daemon,
                       const struct knell__fail_node *node, uint32_t decl)
{
    const struct knell_fail_program *p = c->program;
    struct knell__fail_slice rules = node ? node->rules : (struct knell__fail_slice){0, 0};

    if (p->decls[decl].type != KNELL__FAIL_TIME)
        return;
    if (!node && has_event(p, (uint32_t)(daemon - p->daemons), KNELL_FAIL_TIMER, decl))
        return;
    for (uint32_t r = rules.first; r < rules.first + rules.count; r++) {
        if (p->rules[r].event == KNELL_FAIL_TIMER && p->rules[r].subject == decl)
            return;
    }
    knell__notes_warn(c->notes, p->decls[decl].at, "no rule waits for timer '%s'", p->decls[decl].name);
}

static void warn_timers(struct knell__compiler *c, const struct knell__fail_daemon *daemon)
{
    const struct knell_fail_program *p = c->program;

    for (uint32_t d = 0; d < daemon->decls.count; d++)
        warn_timer(c, daemon, NULL, daemon->decls.first + d);
    for (uint32_t n = daemon->nodes.first; n < daemon->nodes.first + daemon->nodes.count; n++) {
        for (uint32_t d = 0; d < p->nodes[n].decls.count; d++)
            warn_timer(c, daemon, &p->nodes[n], p->nodes[n].decls.first + d);
    }
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static void warn_daemon(struct knell__compiler *c, uint32_t number)
{
    const struct knell_fail_program *p = c->program;
    const struct knell__fail_daemon *daemon = &p->daemons[number];
    const struct knell__fail_place *with_program = NULL;
    bool used = false;

    for (uint32_t i = 0; i < p->place_count; i++) {
        if (p->places[i].daemon != number)
            continue;
        used = true;
        if (p->places[i].public.program && !with_program)
            with_program = &p->places[i];
    }
    if (!used && p->place_count > 0)
        knell__notes_warn(c->notes, daemon->at, "daemon %s is on no computer and in no group", daemon->name);
    if (with_program && !has_event(p, number, KNELL_FAIL_ONLOAD, 0))
        knell__notes_warn(c->notes, daemon->at, "daemon %s never handles onload, though %s runs a program",
                          daemon->name, with_program->public.name);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* By the daemon of the place it is sent to; for FAIL_SENDER, by any. */
static bool is_taken(const struct knell_fail_program *p, const struct knell__fail_act *act, const uint8_t *taken)
{
    uint32_t place;

    if (act->dest.to == KNELL__FAIL_TO_SENDER)
        return taken[act->subject];
    place = knell_fail_instance_place(p, act->dest.first);
    return has_event(p, p->places[place].daemon, KNELL_FAIL_MESSAGE, act->subject);
}

static void offer_messages(const struct knell_fail_program *p, struct knell__hint *hint, const uint8_t *other)
{
    for (uint32_t m = 0; m < p->message_count; m++) {
        if (other[m])
            knell__hint_offer(hint, p->messages[m]);
    }
}

static void warn_sends(struct knell__compiler *c, const uint8_t *taken)
{
    const struct knell_fail_program *p = c->program;

    for (uint32_t a = 0; a < p->act_count && !knell__notes_enough(c->notes); a++) {
        const struct knell__fail_act *act = &p->acts[a];
        struct knell__hint hint = {.word = ""};

        if (act->type != KNELL_FAIL_SEND || is_taken(p, act, taken))
            continue;
        hint.word = p->messages[act->subject];
        if (!taken[act->subject])
            offer_messages(p, &hint, taken);
        knell__notes_warn(c->notes, act->at, "no rule of the receiver takes the message '%s'%s", hint.word,
                          knell__hint_text(&hint));
    }
}

static void warn_messages(struct knell__compiler *c, uint8_t *sent, uint8_t *taken)
{
    const struct knell_fail_program *p = c->program;

    for (uint32_t a = 0; a < p->act_count; a++) {
        if (p->acts[a].type == KNELL_FAIL_SEND)
            sent[p->acts[a].subject] = 1;
    }
    for (uint32_t r = 0; r < p->rule_count; r++) {
        if (p->rules[r].event == KNELL_FAIL_MESSAGE)
            taken[p->rules[r].subject] = 1;
    }
    warn_sends(c, taken);
    for (uint32_t r = 0; r < p->rule_count && !knell__notes_enough(c->notes); r++) {
        struct knell__hint hint = {.word = ""};

        if (p->rules[r].event != KNELL_FAIL_MESSAGE || sent[p->rules[r].subject])
            continue;
        hint.word = p->messages[p->rules[r].subject];
        offer_messages(p, &hint, sent);
        knell__notes_warn(c->notes, p->rules[r].at, "nobody sends the message '%s'%s", hint.word,
                          knell__hint_text(&hint));
    }
}

void knell__compile_flow(struct knell__compiler *c)
{
    const struct knell_fail_program *p = c->program;
    uint8_t marks[KNELL_FAIL_NODES_MAX + 1], sent[KNELL_FAIL_NAMES_MAX] = {0}, taken[KNELL_FAIL_NAMES_MAX] = {0};

    for (uint32_t d = 0; d < p->daemon_count && !knell__notes_enough(c->notes); d++) {
        struct knell__fail_slice nodes = p->daemons[d].nodes;

        for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++)
            warn_dead_rules(c, &p->nodes[n]);
        warn_dead_nodes(c, &p->daemons[d], marks);
        warn_timers(c, &p->daemons[d]);
        warn_daemon(c, d);
    }
    warn_messages(c, sent, taken);
}
