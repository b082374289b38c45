/* The compact program: what the compiler makes and the interpreter runs. Flat arrays that name each other by number; a
 * slice of an array is its first number and a count. Nothing in here changes after knell_fail_compile(). */
#ifndef KNELL_FAIL_PROGRAM_H
#define KNELL_FAIL_PROGRAM_H

#include <knell/fail.h>

struct knell__fail_at {
    uint32_t line;
    uint32_t column;
    uint32_t width;
};

struct knell__fail_slice {
    uint32_t first;
    uint32_t count;
};

/* Expressions are postfix code for a stack of 64-bit numbers. */
enum knell__fail_code {
    KNELL__FAIL_CONST,    /* value */
    KNELL__FAIL_LOAD,     /* the daemon's variable `value` */
    KNELL__FAIL_READ,     /* the program's variable `value` */
    KNELL__FAIL_ARGUMENT, /* argument `value` of the call, from 1 */
    KNELL__FAIL_ADD,
    KNELL__FAIL_SUB,
    KNELL__FAIL_MUL,
    KNELL__FAIL_DIV,
    KNELL__FAIL_MOD,
    KNELL__FAIL_NEG,
    KNELL__FAIL_RANDOM,
    KNELL__FAIL_CHANCE,
    KNELL__FAIL_EXP,
    KNELL__FAIL_WEIBULL,
};

struct knell__fail_op {
    int64_t value;
    uint32_t line;
    uint16_t column; /* 65535: that or more */
    uint8_t code;
};

enum knell__fail_relation {
    KNELL__FAIL_EQ,
    KNELL__FAIL_NE,
    KNELL__FAIL_LT,
    KNELL__FAIL_LE,
    KNELL__FAIL_GT,
    KNELL__FAIL_GE,
};

struct knell__fail_condition {
    struct knell__fail_slice left;
    struct knell__fail_slice right;
    uint32_t relation;
};

enum knell__fail_decl_type { KNELL__FAIL_INT, KNELL__FAIL_ALWAYS, KNELL__FAIL_TIME };

struct knell__fail_decl {
    const char *name;
    enum knell__fail_decl_type type;
    uint32_t slot;   /* among the daemon's variables, or among its timers */
    int64_t unit_ns; /* of a timer */
    struct knell__fail_slice value;
    struct knell__fail_at at;
};

enum knell__fail_to { KNELL__FAIL_TO_FIXED, KNELL__FAIL_TO_INDEX, KNELL__FAIL_TO_SENDER };

/* A receiver of a message, or an end of a link. */
struct knell__fail_dest {
    enum knell__fail_to to;
    uint32_t first; /* FIXED: these instances; INDEX: the group's */
    uint32_t count;
    struct knell__fail_slice index;
};

struct knell__fail_act {
    enum knell_fail_action_type type;
    uint32_t subject; /* message, node (within the daemon), variable; ASSIGN: slot */
    struct knell__fail_dest dest;
    struct knell__fail_slice value;
    struct knell__fail_slice whole; /* FLIP: every bit with a chance of value in whole; empty: one bit */
    const char *text;
    struct knell__fail_at at;
};

struct knell__fail_rule {
    enum knell_fail_event_type event;
    uint32_t subject;   /* message, function, variable; TIMER: number of the declaration */
    uint64_t count;     /* #k, 0: every call */
    uint64_t operation; /* INSIDE: before which */
    struct knell__fail_slice conditions;
    struct knell__fail_slice actions;
    struct knell__fail_at at;
};

struct knell__fail_node {
    const char *name;
    struct knell__fail_slice decls;
    struct knell__fail_slice rules;
    uint64_t messages; /* bit m % 64 is set for every ?m: a quick no */
    struct knell__fail_at at;
};

struct knell__fail_daemon {
    const char *name;
    struct knell__fail_slice decls; /* its own, not those of its nodes */
    struct knell__fail_slice nodes;
    uint32_t variables; /* slots, the nodes' included */
    uint32_t timers;    /* slots: its own first, then those of the current node */
    uint32_t own_timers;
    uint32_t first_variable; /* names: variable_names[first_variable + slot] */
    bool implicit;           /* one node, which the text does not name */
    struct knell__fail_at at;
};

#define KNELL__FAIL_NO_DAEMON UINT32_MAX

struct knell__fail_place {
    struct knell_fail_place public;
    uint32_t daemon;
    struct knell__fail_at at;
};

struct knell_fail_program {
    struct knell__fail_daemon *daemons;
    struct knell__fail_node *nodes;
    struct knell__fail_decl *decls;
    struct knell__fail_rule *rules;
    struct knell__fail_condition *conditions;
    struct knell__fail_act *acts;
    struct knell__fail_op *ops;
    struct knell__fail_place *places;
    struct knell_fail_function *functions;
    const char **variables; /* of the program under test */
    const char **messages;
    const char **variable_names;
    uint32_t daemon_count;
    uint32_t node_count;
    uint32_t decl_count;
    uint32_t rule_count;
    uint32_t condition_count;
    uint32_t act_count;
    uint32_t op_count;
    uint32_t place_count;
    uint32_t function_count;
    uint32_t variable_count;
    uint32_t message_count;
    uint32_t variable_name_count;
    uint32_t instance_count;
};

#endif
