/* Which effector can do what, and the check of a scenario against it before the start. */
#include "fail/notes.h"

#include <string.h>

#define CAN(name) KNELL_FAIL_CAN_##name
#define PROCESS (CAN(ONLOAD) | CAN(ONERROR) | CAN(HALT) | CAN(STOP) | CAN(CONTINUE))
#define CALLS (CAN(BEFORE) | CAN(AFTER) | CAN(FAMILY))
#define VARIABLES (CAN(WATCH) | CAN(READ) | CAN(WRITE) | CAN(FLIP_VARIABLE))
#define MPI_RANKS \
    (PROCESS | CAN(ONEXIT) | CALLS | CAN(INSIDE) | CAN(ARGUMENT) | VARIABLES | CAN(SIGNAL) | CAN(FLIP_PAYLOAD))
#define AGENT                                                                                                          \
    (PROCESS | CAN(ONEXIT) | CALLS | CAN(LIBRARY) | CAN(ARGUMENT) | VARIABLES | CAN(SIGNAL) | CAN(SLOW) | CAN(HOSTS) | \
     CAN(MATCH_HOST))

/* The simulated nodes of the ring call no functions, have no variables and never exit by themselves; the platform
 * model (fail/platform.h) runs whole jobs, whose processes call what its configuration names; `knell live` has processes
 * with nothing but a detector. `knell run` has the ranks of an MPI job, which die, or become ghosts. The agent holds real
 * processes at any function. */
static const struct knell_fail_effector effectors[] = {
    {"simulator", "the simulator", PROCESS | CAN(CUT), CAN(ONEXIT), NULL, 0},
    {"platform", "the platform", PROCESS | CAN(ONEXIT) | CALLS | CAN(SIGNAL), 0, NULL, 0},
    {"live", "knell live", PROCESS | CAN(ONEXIT), 0, NULL, 0},
    {"ghost", "knell run --mode ghost", MPI_RANKS, 0, "MPI", 0},
    {"run", "knell run", MPI_RANKS, 0, "MPI", 0},
    {"agent", "the agent", AGENT, 0, NULL, 6},
};

const struct knell_fail_effector *knell_fail_effector_at(uint32_t number)
{
    return number < sizeof effectors / sizeof *effectors ? &effectors[number] : NULL;
}

const struct knell_fail_effector *knell_fail_effector_find(const char *name)
{
    for (uint32_t i = 0; knell_fail_effector_at(i); i++) {
        if (strcmp(effectors[i].name, name) == 0)
            return &effectors[i];
    }
    return NULL;
}

struct check {
    const struct knell_fail_program *program;
    const struct knell_fail_effector *effector;
    struct knell__notes notes;
};

const char *knell_fail_feature_text(uint32_t feature)
{
    static const char *const texts[] = {
#define FEATURE_TEXT(name, text) text,
        KNELL_FAIL_FEATURES(FEATURE_TEXT)
#undef FEATURE_TEXT
    };

    return texts[__builtin_ctz(feature)];
}

static void need(struct check *c, struct knell__fail_at at, uint32_t feature, bool event)
{
    if (c->effector->can & feature || (event && c->effector->never & feature))
        return;
    knell__notes_error(&c->notes, at, "%s cannot do this: %s", c->effector->title, knell_fail_feature_text(feature));
}

static void need_expr(struct check *c, struct knell__fail_slice code)
{
    for (uint32_t i = code.first; i < code.first + code.count; i++) {
        const struct knell__fail_op *op = &c->program->ops[i];

        if (op->code == KNELL__FAIL_READ || op->code == KNELL__FAIL_ARGUMENT)
            need(c, (struct knell__fail_at){op->line, op->column, 1},
                 op->code == KNELL__FAIL_READ ? CAN(READ) : CAN(ARGUMENT), false);
        if (op->code == KNELL__FAIL_ARGUMENT && c->effector->arguments && op->value > c->effector->arguments)
            knell__notes_error(&c->notes, (struct knell__fail_at){op->line, op->column, 1},
                               "%s knows the arguments $arg1 to $arg%u: those in registers", c->effector->title,
                               c->effector->arguments);
    }
}

/* What cannot be heard of at all has been said already. */
static void need_function(struct check *c, const struct knell__fail_rule *rule)
{
    const struct knell_fail_function *function = &c->program->functions[rule->subject];
    const char *prefix = c->effector->function_prefix;

    if (!(c->effector->can & CAN(BEFORE)))
        return;
    if (knell_fail_function_is_family(c->program, rule->subject))
        need(c, rule->at, CAN(FAMILY), false);
    if (function->library)
        need(c, rule->at, CAN(LIBRARY), false);
    if (prefix && strncmp(function->symbol, prefix, strlen(prefix)) != 0)
        knell__notes_error(&c->notes, rule->at, "%s sees only functions whose names begin with %s", c->effector->title,
                           prefix);
}

static void need_event(struct check *c, const struct knell__fail_rule *rule)
{
    static const uint32_t features[] = {
        [KNELL_FAIL_ONLOAD] = CAN(ONLOAD), [KNELL_FAIL_ONEXIT] = CAN(ONEXIT), [KNELL_FAIL_ONERROR] = CAN(ONERROR),
        [KNELL_FAIL_BEFORE] = CAN(BEFORE), [KNELL_FAIL_AFTER] = CAN(AFTER),   [KNELL_FAIL_INSIDE] = CAN(INSIDE),
        [KNELL_FAIL_WATCH] = CAN(WATCH),
    };

    if (rule->event > KNELL_FAIL_WATCH)
        return;
    need(c, rule->at, features[rule->event], true);
    if (rule->event >= KNELL_FAIL_BEFORE && rule->event <= KNELL_FAIL_INSIDE)
        need_function(c, rule);
}

static void need_action(struct check *c, const struct knell__fail_act *act)
{
    static const uint32_t features[] = {
        [KNELL_FAIL_HALT] = CAN(HALT),     [KNELL_FAIL_STOP] = CAN(STOP), [KNELL_FAIL_CONTINUE] = CAN(CONTINUE),
        [KNELL_FAIL_SIGNAL] = CAN(SIGNAL), [KNELL_FAIL_SET] = CAN(WRITE), [KNELL_FAIL_FLIP] = CAN(FLIP_PAYLOAD),
        [KNELL_FAIL_CUT] = CAN(CUT),       [KNELL_FAIL_HEAL] = CAN(CUT),  [KNELL_FAIL_SLOW] = CAN(SLOW),
    };
    uint32_t feature = features[act->type];

    if (act->type == KNELL_FAIL_FLIP && act->subject != KNELL_FAIL_NO_SUBJECT)
        feature = CAN(FLIP_VARIABLE);
    if (feature)
        need(c, act->at, feature, false);
    need_expr(c, act->value);
    need_expr(c, act->whole);
    if (act->dest.to == KNELL__FAIL_TO_INDEX)
        need_expr(c, act->dest.index);
}

static void need_place(struct check *c, const struct knell__fail_place *place)
{
    if (place->public.hosts)
        need(c, place->at, CAN(HOSTS), false);
    if (place->public.match == KNELL_FAIL_MATCH_HOST)
        need(c, place->at, CAN(MATCH_HOST), false);
}

uint32_t knell_fail_require(const struct knell_fail_program *program, const struct knell_fail_effector *effector,
                            const struct knell_fail_reporter *reporter)
{
    struct check c = {program, effector, {.reporter = reporter}};

    for (uint32_t i = 0; i < program->decl_count; i++)
        need_expr(&c, program->decls[i].value);
    for (uint32_t i = 0; i < program->rule_count; i++) {
        const struct knell__fail_rule *rule = &program->rules[i];

        need_event(&c, rule);
        for (uint32_t j = 0; j < rule->conditions.count; j++) {
            need_expr(&c, program->conditions[rule->conditions.first + j].left);
            need_expr(&c, program->conditions[rule->conditions.first + j].right);
        }
        for (uint32_t j = 0; j < rule->actions.count; j++)
            need_action(&c, &program->acts[rule->actions.first + j]);
    }
    for (uint32_t i = 0; i < program->place_count; i++)
        need_place(&c, &program->places[i]);
    return c.notes.errors;
}
