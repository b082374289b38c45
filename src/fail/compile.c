/* The compiler: tree to program. This file has the order of things, the tables of names, params and declarations;
 * places, rules, expressions and the warnings have files of their own. */
#include "fail/compile.h"
#include "fail/eval.h"

#include <stdio.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool find_decl(const struct knell__compiler *c, struct knell__fail_slice decls, const char *name,
                      struct knell__binding *b)
{
    for (uint32_t i = decls.first; i < decls.first + decls.count; i++) {
        if (strcmp(c->program->decls[i].name, name) == 0) {
            b->meaning = c->program->decls[i].type == KNELL__FAIL_TIME ? KNELL__TIMER : KNELL__VARIABLE;
            b->number = i;
            return true;
        }
    }
    return false;
}

struct knell__binding knell__compile_find(const struct knell__compiler *c, const char *name)
{
    struct knell__binding b = {KNELL__UNKNOWN, 0, 0};

    if (c->node && find_decl(c, c->node->decls, name, &b))
        return b;
    if (c->daemon && find_decl(c, c->daemon->decls, name, &b))
        return b;
    for (const struct knell__param *p = c->tree->params; p; p = p->next) {
        if (strcmp(p->name.text, name) == 0) {
            b.meaning = KNELL__PARAM;
            b.value = p->value;
            return b;
        }
    }
    return b;
}

static void offer_decls(const struct knell__compiler *c, struct knell__fail_slice decls, bool timers,
                        struct knell__hint *hint)
{
    for (uint32_t i = decls.first; i < decls.first + decls.count; i++) {
        if ((c->program->decls[i].type == KNELL__FAIL_TIME) == timers)
            knell__hint_offer(hint, c->program->decls[i].name);
    }
}

/* A timer's name where an event is expected may also be a misspelt keyword: `onlaod'. */
void knell__compile_unknown(struct knell__compiler *c, struct knell__word name, bool timers)
{
    static const char *const events[] = {"onload", "onexit", "onerror", "before", "after", "inside", "watch"};
    struct knell__hint hint = {.word = name.text};

    if (c->node)
        offer_decls(c, c->node->decls, timers, &hint);
    if (c->daemon)
        offer_decls(c, c->daemon->decls, timers, &hint);
    for (size_t i = 0; timers && i < sizeof events / sizeof *events; i++)
        knell__hint_offer(&hint, events[i]);
    for (const struct knell__param *p = c->tree->params; p && !timers; p = p->next)
        knell__hint_offer(&hint, p->name.text);
    knell__notes_error(c->notes, name.at,
                       timers ? "no event or timer is called '%s'%s" : "no variable or param is called '%s'%s",
                       name.text, knell__hint_text(&hint));
}

static uint32_t intern(struct knell__compiler *c, const char **table, uint32_t *count, struct knell__word name,
                       const char *what)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (strcmp(table[i], name.text) == 0)
            return i;
    }
    if (*count == KNELL_FAIL_NAMES_MAX) {
        knell__notes_error(c->notes, name.at, "more than %d %s", KNELL_FAIL_NAMES_MAX, what);
        return 0;
    }
    table[*count] = name.text;
    return (*count)++;
}

uint32_t knell__compile_message(struct knell__compiler *c, struct knell__word name)
{
    return intern(c, c->program->messages, &c->program->message_count, name, "messages");
}

bool knell__is_argument(const char *name)
{
    return strncmp(name, "$arg", 4) == 0 && name[4] != '\0' && strspn(name + 4, "0123456789") == strlen(name + 4);
}

uint32_t knell__compile_variable(struct knell__compiler *c, struct knell__word name)
{
    if (knell__is_argument(name.text))
        knell__notes_error(c->notes, name.at, "%s is an argument of a call: it can only be read", name.text);
    return intern(c, c->program->variables, &c->program->variable_count, name, "variables of the program");
}

static bool same_library(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

uint32_t knell__compile_function(struct knell__compiler *c, struct knell__word library, struct knell__word symbol)
{
    struct knell_fail_function *table = c->program->functions;
    uint32_t *count = &c->program->function_count;

    for (uint32_t i = 0; i < *count; i++) {
        if (strcmp(table[i].symbol, symbol.text) == 0 && same_library(table[i].library, library.text))
            return i;
    }
    if (*count == KNELL_FAIL_NAMES_MAX) {
        knell__notes_error(c->notes, symbol.at, "more than %d functions", KNELL_FAIL_NAMES_MAX);
        return 0;
    }
    table[*count] = (struct knell_fail_function){library.text, symbol.text};
    return (*count)++;
}

/* ---- params ------------------------------------------------------------------------------------------------------ */

static void check_params(struct knell__compiler *c)
{
    uint32_t count = 0;

    for (struct knell__param *p = c->tree->params; p && !knell__notes_enough(c->notes); p = p->next) {
        for (struct knell__param *q = c->tree->params; q != p; q = q->next) {
            if (strcmp(p->name.text, q->name.text) == 0) {
                knell__notes_error(c->notes, p->name.at, "param '%s' is already declared at line %u", p->name.text,
                                   q->name.at.line);
                break;
            }
        }
        if (++count == KNELL_FAIL_NAMES_MAX + 1) {
            knell__notes_error(c->notes, p->name.at, "more than %d params", KNELL_FAIL_NAMES_MAX);
            return;
        }
    }
}

/* "; the params are X, N", as many as fit. */
static const char *params_text(const struct knell__compiler *c, char *text, size_t size)
{
    size_t n = 0;

    if (!c->tree->params)
        return "; the scenario declares no param";
    for (struct knell__param *p = c->tree->params; p; p = p->next) {
        if (n + strlen(p->name.text) + 32 > size) {
            snprintf(text + n, size - n, ", ...");
            break;
        }
        n += (size_t)snprintf(text + n, size - n, "%s%s", n > 0 ? ", " : "; the params are ", p->name.text);
    }
    return text;
}

static void apply_defines(struct knell__compiler *c, const struct knell_fail_define *defines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct knell__hint hint = {.word = defines[i].name};
        char params[256];
        bool found = false;

        for (struct knell__param *p = c->tree->params; p; p = p->next) {
            knell__hint_offer(&hint, p->name.text);
            if (strcmp(p->name.text, defines[i].name) == 0) {
                p->value = defines[i].value;
                found = true;
            }
        }
        if (!found)
            knell__notes_error(c->notes, (struct knell__fail_at){0, 0, 0}, "-D %s: no param is called so%s",
                               defines[i].name,
                               hint.best ? knell__hint_text(&hint) : params_text(c, params, sizeof params));
    }
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static void check_name_free(struct knell__compiler *c, struct knell__word name)
{
    struct knell__binding b = knell__compile_find(c, name.text);

    if (b.meaning == KNELL__PARAM)
        knell__notes_error(c->notes, name.at, "'%s' is already a param", name.text);
    else if (b.meaning != KNELL__UNKNOWN)
        knell__notes_error(c->notes, name.at, "'%s' is already declared at line %u", name.text,
                           c->program->decls[b.number].at.line);
}

static void check_time(struct knell__compiler *c, const struct knell__fail_decl *d, const struct knell__decl *decl)
{
    int64_t value = c->program->ops[d->value.first].value, ns;

    if (value <= 0)
        knell__notes_warn(c->notes, decl->value->at, "timer '%s' is not longer than 0: it expires after 1 ms", d->name);
    else if (__builtin_mul_overflow(value, d->unit_ns, &ns))
        knell__notes_error(c->notes, decl->value->at, "timer '%s' never expires: beyond 292 years", d->name);
}

static void compile_decl(struct knell__compiler *c, const struct knell__decl *decl, struct knell__fail_slice *scope,
                         uint32_t *timer)
{
    struct knell__fail_decl *d = &c->program->decls[c->program->decl_count];
    bool constant;

    check_name_free(c, decl->name);
    d->name = decl->name.text;
    d->type = decl->type;
    d->unit_ns = decl->unit_ns;
    d->at = decl->name.at;
    d->value = knell__compile_expr(c, decl->value, &constant); /* before the name is in scope: int x = x is an error */
    if (d->type == KNELL__FAIL_TIME) {
        d->slot = (*timer)++;
        if (constant)
            check_time(c, d, decl);
    } else {
        d->slot = c->daemon->variables++;
        c->program->variable_names[c->program->variable_name_count++] = d->name;
    }
    c->program->decl_count++;
    scope->count++;
}

static void compile_decls(struct knell__compiler *c, const struct knell__decl *decls, struct knell__fail_slice *scope,
                          uint32_t *timer)
{
    scope->first = c->program->decl_count;
    for (; decls && !knell__notes_enough(c->notes); decls = decls->next)
        compile_decl(c, decls, scope, timer);
}

/* ---- daemons ----------------------------------------------------------------------------------------------------- */

/* All names first: a goto or a place may name what comes later in the text. */
static void declare_nodes(struct knell__compiler *c, struct knell__fail_daemon *daemon, const struct knell__daemon *d)
{
    struct knell_fail_program *program = c->program;

    daemon->nodes.first = program->node_count;
    for (const struct knell__node *n = d->nodes; n && !knell__notes_enough(c->notes); n = n->next) {
        struct knell__fail_node *node = &program->nodes[program->node_count++];

        node->name = n->name.text ? n->name.text : "";
        node->at = n->name.at;
        for (uint32_t i = 0; i < daemon->nodes.count; i++) {
            const struct knell__fail_node *other = &program->nodes[daemon->nodes.first + i];

            if (strcmp(other->name, node->name) == 0) {
                knell__notes_error(c->notes, node->at, "node %s is already there, at line %u", node->name,
                                   other->at.line);
                break;
            }
        }
        daemon->nodes.count++;
    }
}

static void declare_daemons(struct knell__compiler *c)
{
    struct knell_fail_program *program = c->program;

    for (const struct knell__daemon *d = c->tree->daemons; d && !knell__notes_enough(c->notes); d = d->next) {
        struct knell__fail_daemon *daemon = &program->daemons[program->daemon_count];

        if (program->daemon_count == KNELL_FAIL_NAMES_MAX) {
            knell__notes_error(c->notes, d->name.at, "more than %d daemons", KNELL_FAIL_NAMES_MAX);
            return;
        }
        for (uint32_t i = 0; i < program->daemon_count; i++) {
            if (strcmp(program->daemons[i].name, d->name.text) == 0)
                knell__notes_error(c->notes, d->name.at, "daemon '%s' is already there, at line %u", d->name.text,
                                   program->daemons[i].at.line);
        }
        daemon->name = d->name.text;
        daemon->at = d->name.at;
        daemon->implicit = d->implicit;
        declare_nodes(c, daemon, d);
        program->daemon_count++;
    }
}

void knell__compile_daemons(struct knell__compiler *c)
{
    const struct knell__daemon *d = c->tree->daemons;

    for (uint32_t i = 0; i < c->program->daemon_count && !knell__notes_enough(c->notes); i++, d = d->next) {
        const struct knell__node *n = d->nodes;
        uint32_t most = 0;

        c->daemon = &c->program->daemons[i];
        c->node = NULL;
        c->daemon->first_variable = c->program->variable_name_count;
        compile_decls(c, d->decls, &c->daemon->decls, &c->daemon->own_timers);
        for (uint32_t j = 0; j < c->daemon->nodes.count; j++, n = n->next) {
            uint32_t timer = c->daemon->own_timers;

            c->node = &c->program->nodes[c->daemon->nodes.first + j];
            compile_decls(c, n->decls, &c->node->decls, &timer);
            knell__compile_rules(c, n->rules);
            most = timer > most ? timer : most;
        }
        c->daemon->timers = most;
    }
    c->daemon = NULL;
    c->node = NULL;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool take_arrays(struct knell__compiler *c)
{
    const struct knell__tree *t = c->tree;
    struct knell__arena *a = c->arena;
    struct knell_fail_program *p = knell__arena_take(a, sizeof *p);
    uint32_t names =
        t->rule_count + t->action_count + t->term_count; /* whatever names a message, function or variable */

    if (!p)
        return false;
    names = names < KNELL_FAIL_NAMES_MAX ? names : KNELL_FAIL_NAMES_MAX;
    c->program = p;
    p->daemons = knell__arena_take(a, t->daemon_count * sizeof *p->daemons);
    p->nodes = knell__arena_take(a, t->node_count * sizeof *p->nodes);
    p->decls = knell__arena_take(a, t->decl_count * sizeof *p->decls);
    p->rules = knell__arena_take(a, t->rule_count * sizeof *p->rules);
    p->conditions = knell__arena_take(a, t->condition_count * sizeof *p->conditions);
    p->acts = knell__arena_take(a, t->action_count * sizeof *p->acts);
    p->ops = knell__arena_take(a, t->term_count * sizeof *p->ops);
    p->places = knell__arena_take(a, t->place_count * sizeof *p->places);
    p->functions = knell__arena_take(a, names * sizeof *p->functions);
    p->variables = knell__arena_take(a, names * sizeof *p->variables);
    p->messages = knell__arena_take(a, names * sizeof *p->messages);
    p->variable_names = knell__arena_take(a, t->decl_count * sizeof *p->variable_names);
    return !a->full;
}

static int compile_tree(struct knell__compiler *c, const struct knell_fail_define *defines, uint32_t define_count)
{
    if (!take_arrays(c))
        return KNELL_EFULL;
    check_params(c);
    apply_defines(c, defines, define_count);
    declare_daemons(c);
    knell__compile_places(c);
    knell__compile_daemons(c);
    if (c->notes->errors == 0)
        knell__compile_flow(c);
    return c->notes->errors > 0 ? KNELL_EINVAL : 0;
}

int knell_fail_compile(const struct knell_fail_source *source, const struct knell_fail_define *defines,
                       uint32_t define_count, const struct knell_fail_reporter *reporter, void *memory, size_t size,
                       const struct knell_fail_program **program)
{
    struct knell__arena arena = {.base = memory, .size = size};
    struct knell__notes notes = {.reporter = reporter};
    struct knell__tree tree = {0};
    struct knell__compiler c = {.arena = &arena, .notes = &notes, .tree = &tree};
    int result;

    if (source->size > KNELL_FAIL_SOURCE_MAX) {
        knell__notes_error(&notes, (struct knell__fail_at){0, 0, 0}, "a scenario has at most %u bytes",
                           KNELL_FAIL_SOURCE_MAX);
        return KNELL_EINVAL;
    }
    if (!knell__fail_parse(source, &arena, &notes, &tree))
        return KNELL_EFULL;
    if (tree.places == NULL && notes.errors == 0)
        knell__notes_warn(&notes, (struct knell__fail_at){0, 0, 0}, "no Computer and no Group: nothing will happen");
    result = compile_tree(&c, defines, define_count);
    if (result == 0)
        *program = c.program;
    return result;
}

/* One byte of text makes at most one node of the tree and one entry of the program; the largest pair is an action's,
 * which takes two bytes and its comma. The rest is for the tables and alignment. */
size_t knell_fail_program_room(size_t source_size, uint32_t define_count)
{
    (void)define_count;
    return 32768 + source_size * 192;
}
