/* Expressions: precedence by recursion, sums and products by loops. Bounded in depth and in length, so that neither
 * this parser nor whoever walks the tree can run out of stack. */
#include "fail/parse.h"

enum { DEEPEST = 40 };

static struct knell__expr *term(struct knell__parser *p, enum knell__fail_code code, struct knell__fail_at at)
{
    struct knell__expr *e;

    if (++p->terms > KNELL_FAIL_TERMS_MAX) {
        if (p->terms == KNELL_FAIL_TERMS_MAX + 1)
            knell__notes_error(p->notes, at, "this expression has more than %d terms", KNELL_FAIL_TERMS_MAX);
        return NULL;
    }
    p->tree->term_count++;
    e = knell__arena_take(p->arena, sizeof *e);
    if (e) {
        e->code = code;
        e->at = at;
    }
    return e;
}

static struct knell__expr *sum(struct knell__parser *p);

static struct knell__expr *inner(struct knell__parser *p)
{
    struct knell__expr *e;

    if (++p->depth > DEEPEST) {
        knell__notes_error(p->notes, p->token.at, "more than %d parentheses and signs inside each other", DEEPEST);
        p->depth--;
        return NULL;
    }
    e = sum(p);
    p->depth--;
    return e;
}

/* NAME(a) or NAME(a, b) */
static struct knell__expr *call(struct knell__parser *p, enum knell__fail_code code, bool two)
{
    struct knell__expr *e = term(p, code, p->token.at);
    const char *where = knell__fail_word(p->token.type);

    if (!e)
        return NULL;
    knell__parse_advance(p);
    if (!knell__parse_expect(p, '(', where))
        return NULL;
    e->left = inner(p);
    if (!e->left)
        return NULL;
    if (two) {
        if (!knell__parse_expect(p, ',', where))
            return NULL;
        e->right = inner(p);
        if (!e->right)
            return NULL;
    }
    return knell__parse_expect(p, ')', "the end of the arguments") ? e : NULL;
}

static struct knell__expr *number(struct knell__parser *p)
{
    struct knell__expr *e = term(p, KNELL__FAIL_CONST, p->token.at);

    if (e)
        e->value = p->token.number;
    knell__parse_advance(p);
    return e;
}

static struct knell__expr *name(struct knell__parser *p)
{
    struct knell__expr *e = term(p, KNELL__FAIL_CONST, p->token.at);

    if (e)
        e->name = (struct knell__word){p->token.text, p->token.at};
    knell__parse_advance(p);
    return e;
}

struct knell__expr *knell__parse_variable(struct knell__parser *p)
{
    struct knell__expr *e = term(p, KNELL__FAIL_READ, p->token.at);

    if (e)
        e->name = (struct knell__word){p->token.text, p->token.at};
    knell__parse_advance(p);
    return e;
}

static struct knell__expr *negative(struct knell__parser *p);

static struct knell__expr *primary(struct knell__parser *p)
{
    struct knell__expr *e;

    switch (p->token.type) {
    case KNELL__FAIL_TOKEN_NUMBER:
        return number(p);
    case KNELL__FAIL_TOKEN_NAME:
        return name(p);
    case KNELL__FAIL_TOKEN_TVAR:
        return knell__parse_variable(p);
    case KNELL__FAIL_WORD_RANDOM:
        return call(p, KNELL__FAIL_RANDOM, true);
    case KNELL__FAIL_WORD_CHANCE:
        return call(p, KNELL__FAIL_CHANCE, true);
    case KNELL__FAIL_WORD_EXP:
        return call(p, KNELL__FAIL_EXP, false);
    case KNELL__FAIL_WORD_WEIBULL:
        return call(p, KNELL__FAIL_WEIBULL, true);
    case KNELL__FAIL_TOKEN_MARK:
        if (knell__parse_is(p, '-'))
            return negative(p);
        if (knell__parse_accept(p, '(')) {
            e = inner(p);
            return e && knell__parse_expect(p, ')', "the end of the parenthesis") ? e : NULL;
        }
        break;
    default:
        break;
    }
    knell__parse_expected(p, "a number, a variable or '('");
    return NULL;
}

static struct knell__expr *negative(struct knell__parser *p)
{
    struct knell__expr *e = term(p, KNELL__FAIL_NEG, p->token.at);

    knell__parse_advance(p);
    if (!e)
        return NULL;
    if (++p->depth > DEEPEST) {
        knell__notes_error(p->notes, p->token.at, "more than %d parentheses and signs inside each other", DEEPEST);
        p->depth--;
        return NULL;
    }
    e->left = primary(p);
    p->depth--;
    return e->left ? e : NULL;
}

/* left OP right, as long as an operator of this level follows. */
static struct knell__expr *chain(struct knell__parser *p, const char *marks, const enum knell__fail_code *codes,
                                 struct knell__expr *(*operand)(struct knell__parser *))
{
    struct knell__expr *left = operand(p);

    while (left && p->token.type == KNELL__FAIL_TOKEN_MARK && strchr(marks, (int)p->token.number)) {
        struct knell__expr *e = term(p, codes[strchr(marks, (int)p->token.number) - marks], p->token.at);

        knell__parse_advance(p);
        if (!e)
            return NULL;
        e->left = left;
        e->right = operand(p);
        left = e->right ? e : NULL;
    }
    return left;
}

static struct knell__expr *product(struct knell__parser *p)
{
    static const enum knell__fail_code codes[] = {KNELL__FAIL_MUL, KNELL__FAIL_DIV, KNELL__FAIL_MOD};

    return chain(p, "*/%", codes, primary);
}

static struct knell__expr *sum(struct knell__parser *p)
{
    static const enum knell__fail_code codes[] = {KNELL__FAIL_ADD, KNELL__FAIL_SUB};

    return chain(p, "+-", codes, product);
}

struct knell__expr *knell__parse_expr(struct knell__parser *p)
{
    p->terms = 0;
    p->depth = 0;
    return sum(p);
}
