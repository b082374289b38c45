/* The syntax tree: what was written, with its places; names are not looked up yet. Lists are linked in the order of
 * the text. */
#ifndef KNELL_FAIL_TREE_H
#define KNELL_FAIL_TREE_H

#include "fail/arena.h"
#include "fail/notes.h"

struct knell__word {
    const char *text; /* NULL: missing, reported already */
    struct knell__fail_at at;
};

struct knell__expr {
    enum knell__fail_code code; /* CONST: a number, or a name if there is one; READ: a name */
    struct knell__word name;
    int64_t value;
    struct knell__fail_at at;
    struct knell__expr *left;
    struct knell__expr *right;
};

struct knell__decl {
    struct knell__word name;
    enum knell__fail_decl_type type;
    int64_t unit_ns;
    struct knell__expr *value;
    struct knell__decl *next;
};

struct knell__condition {
    struct knell__expr *left;
    struct knell__expr *right;
    enum knell__fail_relation relation;
    struct knell__condition *next;
};

struct knell__dest {
    struct knell__word name;
    struct knell__expr *index;
    bool everyone; /* [*] */
    bool sender;   /* FAIL_SENDER */
};

struct knell__action {
    enum knell_fail_action_type type;
    struct knell__fail_at at;
    struct knell__word name; /* message, node, variable; LOG: the text */
    struct knell__dest dest;
    struct knell__expr *value;
    struct knell__expr *whole; /* FLIP: of so many; NULL: the value is the number of a bit */
    struct knell__action *next;
};

/* From 1 on: a number, or a param. */
struct knell__count {
    int64_t number;          /* 0: not said */
    struct knell__word name; /* of the param; NULL text: none */
    struct knell__fail_at at;
};

struct knell__rule {
    enum knell_fail_event_type event;
    struct knell__word name; /* message, timer, symbol, variable */
    struct knell__word library;
    struct knell__count call;      /* #k */
    struct knell__count operation; /* of inside */
    struct knell__fail_at at;
    struct knell__condition *conditions;
    struct knell__action *actions;
    struct knell__rule *next;
};

struct knell__node {
    struct knell__word name;
    struct knell__decl *decls;
    struct knell__rule *rules;
    struct knell__node *next;
};

struct knell__daemon {
    struct knell__word name;
    struct knell__decl *decls;
    struct knell__node *nodes;
    bool implicit;
    struct knell__daemon *next;
};

enum knell__attr_type { KNELL__ATTR_TEXT, KNELL__ATTR_NAME, KNELL__ATTR_NUMBER };

struct knell__attr {
    struct knell__word name;
    enum knell__attr_type type;
    struct knell__word value;
    int64_t number;
    struct knell__attr *next;
};

struct knell__place {
    struct knell__word name;
    bool group;
    struct knell__attr *attrs;
    struct knell__place *next;
};

struct knell__param {
    struct knell__word name;
    int64_t value;
    struct knell__param *next;
};

struct knell__tree {
    struct knell__param *params;
    struct knell__daemon *daemons;
    struct knell__place *places;
    /* How many there are of each, so that the arrays of the program are taken once. */
    uint32_t daemon_count;
    uint32_t place_count;
    uint32_t node_count;
    uint32_t decl_count;
    uint32_t rule_count;
    uint32_t condition_count;
    uint32_t action_count;
    uint32_t term_count;
};

/* Parses as much as it can; what is wrong is in the notes. False: the arena is full. */
bool knell__fail_parse(const struct knell_fail_source *source, struct knell__arena *arena, struct knell__notes *notes,
                       struct knell__tree *tree);

#endif
