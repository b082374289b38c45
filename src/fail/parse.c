/* The parser's frame: scenario, daemons, nodes, declarations; and how it finds its way after an error: a rule or
 * declaration that went wrong is skipped up to its semicolon, so that one slip gives one message. */
#include "fail/parse.h"

#include <stdio.h>

void knell__parse_advance(struct knell__parser *p)
{
    p->token = knell__lex(&p->lexer);
}

bool knell__parse_over(const struct knell__parser *p)
{
    return p->arena->full || knell__notes_enough(p->notes);
}

bool knell__parse_is(const struct knell__parser *p, char mark)
{
    return p->token.type == KNELL__FAIL_TOKEN_MARK && p->token.number == mark;
}

bool knell__parse_accept(struct knell__parser *p, char mark)
{
    if (!knell__parse_is(p, mark))
        return false;
    knell__parse_advance(p);
    return true;
}

static void describe(const struct knell__fail_token *token, char *text, size_t size)
{
    static const char *const pairs[] = {"->", "&&", "==", "<>", "<=", ">="};

    if (token->type == KNELL__FAIL_TOKEN_END)
        snprintf(text, size, "the end of the file");
    else if (token->type == KNELL__FAIL_TOKEN_NUMBER)
        snprintf(text, size, "a number");
    else if (token->type == KNELL__FAIL_TOKEN_TEXT)
        snprintf(text, size, "a string");
    else if (token->type == KNELL__FAIL_TOKEN_MARK)
        snprintf(text, size, "'%c'", (char)token->number);
    else if (token->type >= KNELL__FAIL_TOKEN_ARROW && token->type <= KNELL__FAIL_TOKEN_GE)
        snprintf(text, size, "'%s'", pairs[token->type - KNELL__FAIL_TOKEN_ARROW]);
    else if (knell__fail_word(token->type))
        snprintf(text, size, "the keyword '%s'", knell__fail_word(token->type));
    else
        snprintf(text, size, "'%s'", token->text ? token->text : "");
}

void knell__parse_expected(struct knell__parser *p, const char *what)
{
    char found[KNELL_FAIL_NAME_MAX + 32];

    if (p->token.type == KNELL__FAIL_TOKEN_BAD)
        return;
    describe(&p->token, found, sizeof found);
    knell__notes_error(p->notes, p->token.at, "expected %s, found %s", what, found);
}

bool knell__parse_expect(struct knell__parser *p, char mark, const char *where)
{
    char what[KNELL_FAIL_NAME_MAX + 32];
    const char *format = mark == '(' || mark == ',' ? "'%c' after %s" : mark == '=' ? "'%c' and %s" : "'%c', %s";

    if (knell__parse_accept(p, mark))
        return true;
    snprintf(what, sizeof what, format, mark, where);
    knell__parse_expected(p, what);
    return false;
}

struct knell__word knell__parse_name(struct knell__parser *p, const char *what)
{
    struct knell__word name = {p->token.text, p->token.at};
    bool keyword = knell__fail_word(p->token.type) != NULL;

    /* Messages have a mark of their own before them, so keywords are free there; everywhere else a keyword is a
     * slip. */
    if (p->token.type == KNELL__FAIL_TOKEN_NAME || (keyword && strstr(what, "message"))) {
        knell__parse_advance(p);
        return name;
    }
    knell__parse_expected(p, what);
    return (struct knell__word){NULL, name.at};
}

/* A number may stand where a name does: node 1. Both are kept as text. */
static struct knell__word parse_label(struct knell__parser *p)
{
    struct knell__word label = {NULL, p->token.at};

    if (p->token.type != KNELL__FAIL_TOKEN_NUMBER)
        return knell__parse_name(p, "the number or the name of the node");
    label.text = knell__arena_copy(p->arena, p->lexer.next - p->token.at.width, p->token.at.width);
    knell__parse_advance(p);
    return label;
}

/* ---- going on after an error ------------------------------------------------------------------------------------- */

bool knell__parse_starts_section(const struct knell__parser *p)
{
    return p->token.type == KNELL__FAIL_WORD_DAEMON || p->token.type == KNELL__FAIL_WORD_COMPUTER ||
           p->token.type == KNELL__FAIL_WORD_GROUP || p->token.type == KNELL__FAIL_WORD_PARAM ||
           p->token.type == KNELL__FAIL_TOKEN_END;
}

void knell__parse_skip_statement(struct knell__parser *p)
{
    while (!knell__parse_starts_section(p) && p->token.type != KNELL__FAIL_WORD_NODE && !knell__parse_is(p, '}')) {
        if (knell__parse_accept(p, ';'))
            return;
        knell__parse_advance(p);
    }
}

void knell__parse_skip_section(struct knell__parser *p)
{
    while (!knell__parse_starts_section(p))
        knell__parse_advance(p);
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static bool at_decl(const struct knell__parser *p)
{
    return p->token.type >= KNELL__FAIL_WORD_ALWAYS && p->token.type <= KNELL__FAIL_WORD_TIME;
}

static bool parse_decl_type(struct knell__parser *p, struct knell__decl *d)
{
    d->type = KNELL__FAIL_INT;
    if (p->token.type == KNELL__FAIL_WORD_ALWAYS) {
        d->type = KNELL__FAIL_ALWAYS;
        knell__parse_advance(p);
        if (p->token.type != KNELL__FAIL_WORD_INT) {
            knell__parse_expected(p, "'int' after always (timers are armed at every entry anyway)");
            return false;
        }
    }
    if (p->token.type == KNELL__FAIL_WORD_TIME_G || p->token.type == KNELL__FAIL_WORD_TIME) {
        d->type = KNELL__FAIL_TIME;
        d->unit_ns = p->token.type == KNELL__FAIL_WORD_TIME ? INT64_C(1000000) : INT64_C(1000000000);
    }
    knell__parse_advance(p);
    return true;
}

static struct knell__decl *parse_decl(struct knell__parser *p)
{
    struct knell__decl *d = knell__arena_take(p->arena, sizeof *d);

    if (!d || !parse_decl_type(p, d))
        return NULL;
    p->tree->decl_count++;
    d->name = knell__parse_name(p, d->type == KNELL__FAIL_TIME ? "the name of the timer" : "the name of the variable");
    if (!d->name.text)
        return NULL;
    if (!knell__parse_expect(p, '=', "the value of the declaration"))
        return NULL;
    d->value = knell__parse_expr(p);
    return d->value && knell__parse_expect(p, ';', "the end of the declaration") ? d : NULL;
}

static void parse_decls(struct knell__parser *p, struct knell__decl **tail)
{
    uint32_t count = 0;

    while (at_decl(p) && !knell__parse_over(p)) {
        struct knell__fail_at at = p->token.at;
        struct knell__decl *d = parse_decl(p);

        if (!d) {
            knell__parse_skip_statement(p);
            continue;
        }
        if (++count == KNELL_FAIL_DECLS_MAX + 1)
            knell__notes_error(p->notes, at, "more than %d declarations", KNELL_FAIL_DECLS_MAX);
        *tail = d;
        tail = &d->next;
    }
}

/* ---- daemons ----------------------------------------------------------------------------------------------------- */

static void parse_rules(struct knell__parser *p, struct knell__rule **tail)
{
    uint32_t count = 0;

    while (!knell__parse_starts_section(p) && p->token.type != KNELL__FAIL_WORD_NODE && !knell__parse_is(p, '}') &&
           !knell__parse_over(p)) {
        struct knell__rule *rule;

        if (at_decl(p)) {
            knell__notes_error(p->notes, p->token.at, "declarations come before the rules");
            knell__parse_skip_statement(p);
            continue;
        }
        rule = knell__parse_rule(p);
        if (!rule) {
            knell__parse_skip_statement(p);
            continue;
        }
        if (++count == KNELL_FAIL_RULES_MAX + 1)
            knell__notes_error(p->notes, rule->at, "a node has at most %d rules", KNELL_FAIL_RULES_MAX);
        *tail = rule;
        tail = &rule->next;
    }
}

static void parse_node_head(struct knell__parser *p, struct knell__node *node)
{
    knell__parse_advance(p);
    node->name = parse_label(p);
    if (!node->name.text || !knell__parse_expect(p, ':', "the end of the node's name"))
        knell__parse_skip_statement(p);
}

static void parse_nodes(struct knell__parser *p, struct knell__daemon *daemon)
{
    struct knell__node **tail = &daemon->nodes;
    uint32_t count = 0;

    daemon->implicit = p->token.type != KNELL__FAIL_WORD_NODE;
    do {
        struct knell__node *node = knell__arena_take(p->arena, sizeof *node);

        if (!node)
            return;
        p->tree->node_count++;
        node->name = (struct knell__word){"1", daemon->name.at};
        if (++count == KNELL_FAIL_NODES_MAX + 1)
            knell__notes_error(p->notes, p->token.at, "a daemon has at most %d nodes", KNELL_FAIL_NODES_MAX);
        if (p->token.type == KNELL__FAIL_WORD_NODE) {
            if (daemon->implicit && daemon->nodes)
                knell__notes_error(p->notes, p->token.at, "rules before the first node belong to no node");
            parse_node_head(p, node);
        }
        parse_decls(p, &node->decls);
        parse_rules(p, &node->rules);
        *tail = node;
        tail = &node->next;
    } while (p->token.type == KNELL__FAIL_WORD_NODE && !knell__parse_over(p));
}

/* In a daemon without nodes the declarations are those of its one node: entered again after each rule, as in any
 * node. */
static void parse_daemon_body(struct knell__parser *p, struct knell__daemon *daemon)
{
    parse_decls(p, &daemon->decls);
    parse_nodes(p, daemon);
    if (daemon->implicit && daemon->nodes && !daemon->nodes->next) {
        daemon->nodes->decls = daemon->decls;
        daemon->decls = NULL;
    }
}

bool knell__parse_head(struct knell__parser *p, struct knell__word *name, const char *what)
{
    knell__parse_advance(p);
    *name = knell__parse_name(p, what);
    if (name->text && knell__parse_expect(p, '{', "the beginning of the body"))
        return true;
    knell__parse_skip_section(p);
    return false;
}

void knell__parse_close(struct knell__parser *p)
{
    if (!knell__parse_over(p) && !knell__parse_accept(p, '}')) {
        knell__parse_expected(p, "'}' at the end of the body");
        knell__parse_skip_section(p);
    }
}

static struct knell__daemon *parse_daemon(struct knell__parser *p)
{
    struct knell__daemon *daemon = knell__arena_take(p->arena, sizeof *daemon);

    if (!daemon)
        return NULL;
    if (!knell__parse_head(p, &daemon->name, "the name of the daemon"))
        return NULL;
    parse_daemon_body(p, daemon);
    knell__parse_close(p);
    return daemon;
}

/* ---- the scenario ------------------------------------------------------------------------------------------------ */

static void unknown_section(struct knell__parser *p)
{
    struct knell__hint hint = {.word = p->token.text ? p->token.text : ""};

    for (int w = KNELL__FAIL_WORD_PARAM; w <= KNELL__FAIL_WORD_GROUP; w++)
        knell__hint_offer(&hint, knell__fail_word((enum knell__fail_token_type)w));
    if (hint.best)
        knell__notes_error(p->notes, p->token.at, "'%s' begins nothing%s", hint.word, knell__hint_text(&hint));
    else
        knell__parse_expected(p, "Daemon, Computer, Group or param");
    if (p->token.type != KNELL__FAIL_TOKEN_END)
        knell__parse_advance(p);
    knell__parse_skip_section(p);
}

static void parse_sections(struct knell__parser *p)
{
    struct knell__param **param = &p->tree->params;
    struct knell__daemon **daemon = &p->tree->daemons;
    struct knell__place **place = &p->tree->places;

    while (p->token.type != KNELL__FAIL_TOKEN_END && !knell__parse_over(p)) {
        if (p->token.type == KNELL__FAIL_WORD_PARAM) {
            if ((*param = knell__parse_param(p)))
                param = &(*param)->next;
            else
                knell__parse_skip_section(p);
        } else if (p->token.type == KNELL__FAIL_WORD_DAEMON) {
            if ((*daemon = parse_daemon(p)))
                daemon = &(*daemon)->next;
            p->tree->daemon_count++;
        } else if (p->token.type == KNELL__FAIL_WORD_COMPUTER || p->token.type == KNELL__FAIL_WORD_GROUP) {
            if ((*place = knell__parse_place(p)))
                place = &(*place)->next;
            p->tree->place_count++;
        } else {
            unknown_section(p);
        }
    }
}

bool knell__fail_parse(const struct knell_fail_source *source, struct knell__arena *arena, struct knell__notes *notes,
                       struct knell__tree *tree)
{
    struct knell__parser p = {
        .lexer = {source->text, source->text + source->size, source->text, 1, arena, notes},
        .notes = notes,
        .arena = arena,
        .tree = tree,
    };

    knell__parse_advance(&p);
    parse_sections(&p);
    return !arena->full;
}
