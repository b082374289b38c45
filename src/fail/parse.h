/* What the files of the parser share: the token at hand and the ways to go on. */
#ifndef KNELL_FAIL_PARSE_H
#define KNELL_FAIL_PARSE_H

#include "fail/lex.h"
#include "fail/tree.h"

struct knell__parser {
    struct knell__lexer lexer;
    struct knell__fail_token token; /* the next one, not taken yet */
    struct knell__notes *notes;
    struct knell__arena *arena;
    struct knell__tree *tree;
    uint32_t depth; /* of parentheses */
    uint32_t terms; /* of this expression */
};

void knell__parse_advance(struct knell__parser *p);
bool knell__parse_is(const struct knell__parser *p, char mark);
bool knell__parse_accept(struct knell__parser *p, char mark); /* takes it if it is there */
bool knell__parse_expect(struct knell__parser *p, char mark, const char *where);
struct knell__word knell__parse_name(struct knell__parser *p, const char *what);

/* Reports "expected ..., found ...", unless the token is one that was reported already. */
void knell__parse_expected(struct knell__parser *p, const char *what);

/* No more memory, or more errors than anyone reads. */
bool knell__parse_over(const struct knell__parser *p);

/* Going on after an error: behind the next semicolon, or at what begins something new. */
bool knell__parse_starts_section(const struct knell__parser *p);
void knell__parse_skip_statement(struct knell__parser *p);
void knell__parse_skip_section(struct knell__parser *p);

/* NAME { and }; an error in the head skips the section. */
bool knell__parse_head(struct knell__parser *p, struct knell__word *name, const char *what);
void knell__parse_close(struct knell__parser *p);

struct knell__param *knell__parse_param(struct knell__parser *p);   /* NULL: reported, the section is to be skipped */
struct knell__place *knell__parse_place(struct knell__parser *p);   /* NULL: reported and skipped */
struct knell__expr *knell__parse_expr(struct knell__parser *p);     /* NULL: reported */
struct knell__expr *knell__parse_variable(struct knell__parser *p); /* a TVAR token */
struct knell__rule *knell__parse_rule(struct knell__parser *p);     /* NULL: reported; the caller finds the next rule */
bool knell__parse_actions(struct knell__parser *p, struct knell__rule *rule);

#endif
