/* Actions and where they are aimed at. */
#include "fail/parse.h"

/* P1, G1[expr], G1[*], FAIL_SENDER, in parentheses. */
static bool parse_dest(struct knell__parser *p, const char *after, struct knell__dest *dest)
{
    if (!knell__parse_expect(p, '(', after))
        return false;
    if (p->token.type == KNELL__FAIL_WORD_SENDER) {
        dest->sender = true;
        dest->name = (struct knell__word){p->token.text, p->token.at};
        knell__parse_advance(p);
        return knell__parse_expect(p, ')', "the end of the receiver");
    }
    dest->name = knell__parse_name(p, "a computer, a group or FAIL_SENDER");
    if (!dest->name.text)
        return false;
    if (knell__parse_accept(p, '[')) {
        if (knell__parse_accept(p, '*'))
            dest->everyone = true;
        else if (!(dest->index = knell__parse_expr(p)))
            return false;
        if (!knell__parse_expect(p, ']', "the end of the index"))
            return false;
    }
    return knell__parse_expect(p, ')', "the end of the receiver");
}

static bool parse_goto(struct knell__parser *p, struct knell__action *a)
{
    a->type = KNELL_FAIL_GOTO;
    knell__parse_advance(p);
    a->name = (struct knell__word){p->token.text, p->token.at};
    if (p->token.type == KNELL__FAIL_TOKEN_NUMBER) {
        a->name.text =
            knell__arena_copy(p->arena, p->token.at.width ? p->lexer.next - p->token.at.width : "", p->token.at.width);
    } else if (p->token.type != KNELL__FAIL_TOKEN_NAME) {
        knell__parse_expected(p, "the number or the name of a node");
        return false;
    }
    knell__parse_advance(p);
    return true;
}

static bool parse_argument(struct knell__parser *p, struct knell__action *a, enum knell_fail_action_type type)
{
    const char *word = p->token.text;

    a->type = type;
    knell__parse_advance(p);
    if (!knell__parse_expect(p, '(', word))
        return false;
    a->value = knell__parse_expr(p);
    return a->value && knell__parse_expect(p, ')', "the end of the argument");
}

/* flip(bit), or flip(a, b): every bit with a chance of a in b. */
static bool parse_flip(struct knell__parser *p, struct knell__action *a)
{
    a->type = KNELL_FAIL_FLIP;
    knell__parse_advance(p);
    if (!knell__parse_expect(p, '(', "flip") || !(a->value = knell__parse_expr(p)))
        return false;
    if (knell__parse_accept(p, ',') && !(a->whole = knell__parse_expr(p)))
        return false;
    return knell__parse_expect(p, ')', "the end of the argument");
}

static bool parse_log(struct knell__parser *p, struct knell__action *a)
{
    a->type = KNELL_FAIL_LOG;
    knell__parse_advance(p);
    if (!knell__parse_expect(p, '(', "log"))
        return false;
    if (p->token.type != KNELL__FAIL_TOKEN_TEXT) {
        knell__parse_expected(p, "a string");
        return false;
    }
    a->name = (struct knell__word){p->token.text, p->token.at};
    knell__parse_advance(p);
    return knell__parse_expect(p, ')', "the end of the argument");
}

static bool parse_assign(struct knell__parser *p, struct knell__action *a, enum knell_fail_action_type type)
{
    a->type = type;
    a->name = (struct knell__word){p->token.text, p->token.at};
    knell__parse_advance(p);
    if (!knell__parse_is(p, '=')) {
        struct knell__hint hint = {.word = a->name.text ? a->name.text : ""};

        for (int w = KNELL__FAIL_WORD_GOTO; w <= KNELL__FAIL_WORD_FLIP; w++)
            knell__hint_offer(&hint, knell__fail_word((enum knell__fail_token_type)w));
        if (hint.best)
            knell__notes_error(p->notes, a->at, "'%s' is no action%s", hint.word, knell__hint_text(&hint));
        else
            knell__parse_expected(p, "'=' after the name of a variable");
        return false;
    }
    knell__parse_advance(p);
    a->value = knell__parse_expr(p);
    return a->value != NULL;
}

static bool plain(struct knell__parser *p, struct knell__action *a, enum knell_fail_action_type type)
{
    a->type = type;
    knell__parse_advance(p);
    return true;
}

static bool parse_aimed(struct knell__parser *p, struct knell__action *a, enum knell_fail_action_type type)
{
    const char *word = p->token.text;

    plain(p, a, type);
    return parse_dest(p, word, &a->dest);
}

static bool parse_send(struct knell__parser *p, struct knell__action *a)
{
    plain(p, a, KNELL_FAIL_SEND);
    a->name = knell__parse_name(p, "the name of a message");
    return a->name.text && parse_dest(p, "the message", &a->dest);
}

static bool parse_action(struct knell__parser *p, struct knell__action *a)
{
    a->at = p->token.at;
    switch (p->token.type) {
    case KNELL__FAIL_WORD_GOTO:
        return parse_goto(p, a);
    case KNELL__FAIL_WORD_STAY:
        return plain(p, a, KNELL_FAIL_STAY);
    case KNELL__FAIL_WORD_HALT:
        return plain(p, a, KNELL_FAIL_HALT);
    case KNELL__FAIL_WORD_STOP:
        return plain(p, a, KNELL_FAIL_STOP);
    case KNELL__FAIL_WORD_CONTINUE:
        return plain(p, a, KNELL_FAIL_CONTINUE);
    case KNELL__FAIL_WORD_SIGNAL:
        return parse_argument(p, a, KNELL_FAIL_SIGNAL);
    case KNELL__FAIL_WORD_SLOW:
        return parse_argument(p, a, KNELL_FAIL_SLOW);
    case KNELL__FAIL_WORD_FLIP:
        return parse_flip(p, a);
    case KNELL__FAIL_WORD_LOG:
        return parse_log(p, a);
    case KNELL__FAIL_WORD_CUT:
        return parse_aimed(p, a, KNELL_FAIL_CUT);
    case KNELL__FAIL_WORD_HEAL:
        return parse_aimed(p, a, KNELL_FAIL_HEAL);
    case KNELL__FAIL_TOKEN_NAME:
        return parse_assign(p, a, KNELL_FAIL_ASSIGN);
    case KNELL__FAIL_TOKEN_TVAR:
        return parse_assign(p, a, KNELL_FAIL_SET);
    default:
        if (knell__parse_is(p, '!'))
            return parse_send(p, a);
        knell__parse_expected(p, "an action");
        return false;
    }
}

/* Up to and with the semicolon. */
bool knell__parse_actions(struct knell__parser *p, struct knell__rule *rule)
{
    struct knell__action **tail = &rule->actions;
    uint32_t count = 0;

    if (knell__parse_accept(p, ';'))
        return true;
    do {
        struct knell__action *a = knell__arena_take(p->arena, sizeof *a);

        if (!a)
            return false;
        p->tree->action_count++;
        if (++count == KNELL_FAIL_ACTIONS_MAX + 1)
            knell__notes_error(p->notes, p->token.at, "a rule has at most %d actions", KNELL_FAIL_ACTIONS_MAX);
        if (!parse_action(p, a))
            return false;
        *tail = a;
        tail = &a->next;
    } while (knell__parse_accept(p, ','));
    return knell__parse_expect(p, ';', "the end of the rule");
}
