/* Rules: the event, the conditions behind &&, and after the arrow the actions. */
#include "fail/parse.h"

#include <stdio.h>

/* A number, or the name of a param. */
static bool parse_count(struct knell__parser *p, const char *what, struct knell__count *count)
{
    char wanted[64];

    count->at = p->token.at;
    if (p->token.type == KNELL__FAIL_TOKEN_NAME) {
        count->name = (struct knell__word){p->token.text, p->token.at};
        count->number = 1;
    } else if (p->token.type == KNELL__FAIL_TOKEN_NUMBER) {
        count->number = p->token.number;
    } else {
        snprintf(wanted, sizeof wanted, "a number or a param: which %s", what);
        knell__parse_expected(p, wanted);
        return false;
    }
    if (count->number < 1)
        knell__notes_error(p->notes, count->at, "%ss are counted from 1", what);
    knell__parse_advance(p);
    return true;
}

/* Of inside: "the call, then the operation" is what the parentheses hold. */
static bool parse_operation(struct knell__parser *p, struct knell__rule *rule)
{
    if (knell__parse_accept(p, ','))
        return parse_count(p, "operation", &rule->operation);
    knell__parse_expected(p, "',' and the number of an operation within the call");
    return false;
}

/* LIB:SYMBOL#k, and an operation for inside. Called while the token at hand is the parenthesis: what follows is not cut into tokens, a library's
 * name may hold dots and dashes. */
static bool parse_function(struct knell__parser *p, struct knell__rule *rule)
{
    rule->name.text = knell__lex_symbol(&p->lexer, &rule->name.at);
    knell__parse_advance(p);
    if (rule->name.text && knell__parse_is(p, ':')) {
        rule->library = rule->name;
        rule->name.text = knell__lex_symbol(&p->lexer, &rule->name.at);
        knell__parse_advance(p);
    }
    if (!rule->name.text) {
        knell__notes_error(p->notes, rule->name.at, "expected the name of a function");
        return false;
    }
    if (knell__parse_accept(p, '#') && !parse_count(p, "call", &rule->call))
        return false;
    if (rule->event == KNELL_FAIL_INSIDE && !parse_operation(p, rule))
        return false;
    return knell__parse_expect(p, ')', "the end of the function");
}

static bool parse_call(struct knell__parser *p, struct knell__rule *rule, enum knell_fail_event_type type)
{
    rule->event = type;
    knell__parse_advance(p);
    if (!knell__parse_is(p, '(')) {
        knell__parse_expected(p, "'(' and the name of a function");
        return false;
    }
    return parse_function(p, rule);
}

static bool parse_watch(struct knell__parser *p, struct knell__rule *rule)
{
    rule->event = KNELL_FAIL_WATCH;
    knell__parse_advance(p);
    if (!knell__parse_expect(p, '(', "watch"))
        return false;
    if (p->token.type != KNELL__FAIL_TOKEN_TVAR) {
        knell__parse_expected(p, "a variable of the program, $name");
        return false;
    }
    rule->name = (struct knell__word){p->token.text, p->token.at};
    knell__parse_advance(p);
    return knell__parse_expect(p, ')', "the end of watch");
}

static bool plain(struct knell__parser *p, struct knell__rule *rule, enum knell_fail_event_type type)
{
    rule->event = type;
    knell__parse_advance(p);
    return true;
}

static bool parse_event(struct knell__parser *p, struct knell__rule *rule)
{
    switch (p->token.type) {
    case KNELL__FAIL_WORD_ONLOAD:
        return plain(p, rule, KNELL_FAIL_ONLOAD);
    case KNELL__FAIL_WORD_ONEXIT:
        return plain(p, rule, KNELL_FAIL_ONEXIT);
    case KNELL__FAIL_WORD_ONERROR:
        return plain(p, rule, KNELL_FAIL_ONERROR);
    case KNELL__FAIL_WORD_BEFORE:
        return parse_call(p, rule, KNELL_FAIL_BEFORE);
    case KNELL__FAIL_WORD_AFTER:
        return parse_call(p, rule, KNELL_FAIL_AFTER);
    case KNELL__FAIL_WORD_INSIDE:
        return parse_call(p, rule, KNELL_FAIL_INSIDE);
    case KNELL__FAIL_WORD_WATCH:
        return parse_watch(p, rule);
    case KNELL__FAIL_TOKEN_NAME:
        rule->event = KNELL_FAIL_TIMER;
        rule->name = (struct knell__word){p->token.text, p->token.at};
        knell__parse_advance(p);
        return true;
    default:
        if (knell__parse_accept(p, '?')) {
            rule->event = KNELL_FAIL_MESSAGE;
            rule->name = knell__parse_name(p, "the name of a message");
            return rule->name.text != NULL;
        }
        knell__parse_expected(p, "a rule: an event, '->' and actions");
        return false;
    }
}

static bool parse_relation(struct knell__parser *p, enum knell__fail_relation *relation)
{
    switch (p->token.type) {
    case KNELL__FAIL_TOKEN_EQ:
        *relation = KNELL__FAIL_EQ;
        break;
    case KNELL__FAIL_TOKEN_NE:
        *relation = KNELL__FAIL_NE;
        break;
    case KNELL__FAIL_TOKEN_LE:
        *relation = KNELL__FAIL_LE;
        break;
    case KNELL__FAIL_TOKEN_GE:
        *relation = KNELL__FAIL_GE;
        break;
    default:
        if (knell__parse_is(p, '<')) {
            *relation = KNELL__FAIL_LT;
        } else if (knell__parse_is(p, '>')) {
            *relation = KNELL__FAIL_GT;
        } else {
            knell__parse_expected(p, knell__parse_is(p, '=') ? "a comparison; equal is '=='"
                                                             : "a comparison: == <> != < <= > >=");
            return false;
        }
    }
    knell__parse_advance(p);
    return true;
}

static bool parse_conditions(struct knell__parser *p, struct knell__rule *rule)
{
    struct knell__condition **tail = &rule->conditions;

    while (p->token.type == KNELL__FAIL_TOKEN_AND) {
        struct knell__condition *c = knell__arena_take(p->arena, sizeof *c);

        knell__parse_advance(p);
        if (!c)
            return false;
        p->tree->condition_count++;
        c->left = knell__parse_expr(p);
        if (!c->left || !parse_relation(p, &c->relation))
            return false;
        c->right = knell__parse_expr(p);
        if (!c->right)
            return false;
        *tail = c;
        tail = &c->next;
    }
    return true;
}

struct knell__rule *knell__parse_rule(struct knell__parser *p)
{
    struct knell__rule *rule = knell__arena_take(p->arena, sizeof *rule);

    if (!rule)
        return NULL;
    p->tree->rule_count++;
    rule->at = p->token.at;
    if (!parse_event(p, rule) || !parse_conditions(p, rule))
        return NULL;
    if (p->token.type != KNELL__FAIL_TOKEN_ARROW) {
        knell__parse_expected(p, "'&&' and a condition, or '->' and actions");
        return NULL;
    }
    knell__parse_advance(p);
    return knell__parse_actions(p, rule) ? rule : NULL;
}
