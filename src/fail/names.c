/* What of the program under test the daemon of a place names: its functions, its variables. */
#include "fail/program.h"

static const struct knell__fail_daemon *daemon_of(const struct knell_fail_program *p, uint32_t place)
{
    return p->places[place].daemon == KNELL__FAIL_NO_DAEMON ? NULL : &p->daemons[p->places[place].daemon];
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static bool is_call(enum knell_fail_event_type type)
{
    return type == KNELL_FAIL_BEFORE || type == KNELL_FAIL_AFTER || type == KNELL_FAIL_INSIDE;
}

bool knell_fail_place_calls(const struct knell_fail_program *p, uint32_t place, uint32_t function)
{
    const struct knell__fail_daemon *daemon = daemon_of(p, place);

    for (uint32_t i = 0; daemon && i < daemon->nodes.count; i++) {
        struct knell__fail_slice rules = p->nodes[daemon->nodes.first + i].rules;

        for (uint32_t k = rules.first; k < rules.first + rules.count; k++) {
            if (is_call(p->rules[k].event) && p->rules[k].subject == function)
                return true;
        }
    }
    return false;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */

static bool reads(const struct knell_fail_program *p, struct knell__fail_slice code, uint32_t variable)
{
    for (uint32_t i = code.first; i < code.first + code.count; i++) {
        if (p->ops[i].code == KNELL__FAIL_READ && p->ops[i].value == (int64_t)variable)
            return true;
    }
    return false;
}

static bool act_touches(const struct knell_fail_program *p, const struct knell__fail_act *act, uint32_t variable)
{
    bool is_variable = act->type == KNELL_FAIL_SET || act->type == KNELL_FAIL_FLIP;

    return (is_variable && act->subject == variable) || reads(p, act->value, variable) ||
           reads(p, act->whole, variable) ||
           (act->dest.to == KNELL__FAIL_TO_INDEX && reads(p, act->dest.index, variable));
}

static bool rule_touches(const struct knell_fail_program *p, const struct knell__fail_rule *rule, uint32_t variable)
{
    if (rule->event == KNELL_FAIL_WATCH && rule->subject == variable)
        return true;
    for (uint32_t i = 0; i < rule->conditions.count; i++) {
        const struct knell__fail_condition *c = &p->conditions[rule->conditions.first + i];

        if (reads(p, c->left, variable) || reads(p, c->right, variable))
            return true;
    }
    for (uint32_t i = 0; i < rule->actions.count; i++) {
        if (act_touches(p, &p->acts[rule->actions.first + i], variable))
            return true;
    }
    return false;
}

static bool decls_touch(const struct knell_fail_program *p, struct knell__fail_slice decls, uint32_t variable)
{
    for (uint32_t i = decls.first; i < decls.first + decls.count; i++) {
        if (reads(p, p->decls[i].value, variable))
            return true;
    }
    return false;
}

bool knell_fail_place_touches(const struct knell_fail_program *p, uint32_t place, uint32_t variable)
{
    const struct knell__fail_daemon *daemon = daemon_of(p, place);

    if (daemon && decls_touch(p, daemon->decls, variable))
        return true;
    for (uint32_t i = 0; daemon && i < daemon->nodes.count; i++) {
        const struct knell__fail_node *node = &p->nodes[daemon->nodes.first + i];

        if (decls_touch(p, node->decls, variable))
            return true;
        for (uint32_t k = 0; k < node->rules.count; k++) {
            if (rule_touches(p, &p->rules[node->rules.first + k], variable))
                return true;
        }
    }
    return false;
}

/* ---- watches ----------------------------------------------------------------------------------------------------- */

static bool is_first_watch(const struct knell_fail_program *p, struct knell__fail_slice rules, uint32_t rule)
{
    if (p->rules[rule].event != KNELL_FAIL_WATCH)
        return false;
    for (uint32_t i = rules.first; i < rule; i++) {
        if (p->rules[i].event == KNELL_FAIL_WATCH && p->rules[i].subject == p->rules[rule].subject)
            return false;
    }
    return true;
}

uint32_t knell_fail_watches(const struct knell_fail_program *p)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < p->node_count; i++) {
        struct knell__fail_slice rules = p->nodes[i].rules;
        uint32_t count = 0;

        for (uint32_t k = rules.first; k < rules.first + rules.count; k++)
            count += is_first_watch(p, rules, k);
        most = count > most ? count : most;
    }
    return most;
}
