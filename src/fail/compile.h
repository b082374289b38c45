/* What the files of the compiler share: the tree on one side, the program that grows on the other. */
#ifndef KNELL_FAIL_COMPILE_H
#define KNELL_FAIL_COMPILE_H

#include "fail/arena.h"
#include "fail/notes.h"
#include "fail/tree.h"

struct knell__compiler {
    struct knell__arena *arena;
    struct knell__notes *notes;
    const struct knell__tree *tree;
    struct knell_fail_program *program;
    struct knell__fail_daemon *daemon; /* the one being compiled */
    struct knell__fail_node *node;     /* NULL while at the daemon's own declarations */
    const struct knell__rule *rule;    /* NULL while at declarations */
};

/* What a name means where it stands. */
enum knell__meaning { KNELL__UNKNOWN, KNELL__PARAM, KNELL__VARIABLE, KNELL__TIMER };

struct knell__binding {
    enum knell__meaning meaning;
    int64_t value;   /* PARAM */
    uint32_t number; /* VARIABLE, TIMER: of the declaration */
};

struct knell__binding knell__compile_find(const struct knell__compiler *c, const char *name);
void knell__compile_unknown(struct knell__compiler *c, struct knell__word name, bool timers);

/* Emits an expression; *constant (may be NULL): it was folded into one number. */
struct knell__fail_slice knell__compile_expr(struct knell__compiler *c, const struct knell__expr *expr, bool *constant);

/* The number of a name in one of the program's tables, put in if it is new. */
uint32_t knell__compile_message(struct knell__compiler *c, struct knell__word name);
uint32_t knell__compile_variable(struct knell__compiler *c, struct knell__word name);
bool knell__is_argument(const char *name); /* $arg1, $arg2, ... */
uint32_t knell__compile_function(struct knell__compiler *c, struct knell__word library, struct knell__word symbol);

void knell__compile_rules(struct knell__compiler *c, const struct knell__rule *rules);
void knell__compile_places(struct knell__compiler *c);
void knell__compile_daemons(struct knell__compiler *c);

/* Warnings about the finished program: dead rules, dead nodes, messages nobody sends or takes. */
void knell__compile_flow(struct knell__compiler *c);

#endif
