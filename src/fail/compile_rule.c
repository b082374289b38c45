/* Rules and actions: names become numbers, and what cannot be meant is refused: a goto before the end, FAIL_SENDER
 * without a message, a slot that is not there. */
#include "fail/compile.h"

/* ---- receivers --------------------------------------------------------------------------------------------------- */

static const struct knell__fail_place *find_place(struct knell__compiler *c, struct knell__word name)
{
    struct knell__hint hint = {.word = name.text};

    for (uint32_t i = 0; i < c->program->place_count; i++) {
        if (strcmp(c->program->places[i].public.name, name.text) == 0)
            return &c->program->places[i];
    }
    for (uint32_t i = 0; i < c->program->place_count; i++)
        knell__hint_offer(&hint, c->program->places[i].public.name);
    knell__notes_error(c->notes, name.at, "no computer or group is called '%s'%s", name.text, knell__hint_text(&hint));
    return NULL;
}

static void check_index(struct knell__compiler *c, const struct knell__dest *dest, const struct knell_fail_place *place,
                        struct knell__fail_dest *out)
{
    bool constant;
    int64_t value;

    out->index = knell__compile_expr(c, dest->index, &constant);
    out->to = KNELL__FAIL_TO_INDEX;
    if (!constant)
        return;
    value = c->program->ops[out->index.first].value;
    if (value < 0 || value >= place->size) {
        knell__notes_error(c->notes, dest->index->at, "%s has the slots 0 to %u, not %lld", place->name,
                           place->size - 1, (long long)value);
        return;
    }
    out->to = KNELL__FAIL_TO_FIXED;
    out->first += (uint32_t)value;
    out->count = 1;
}

static void compile_place(struct knell__compiler *c, const struct knell__dest *dest, bool message,
                          struct knell__fail_dest *out)
{
    const struct knell__fail_place *found = find_place(c, dest->name);
    const struct knell_fail_place *place = found ? &found->public : NULL;

    if (!place)
        return;
    if (message && !place->daemon)
        knell__notes_error(c->notes, dest->name.at, "%s has no daemon to receive a message", place->name);
    out->to = KNELL__FAIL_TO_FIXED;
    out->first = place->first;
    out->count = place->size;
    if (!place->group && (dest->index || dest->everyone))
        knell__notes_error(c->notes, dest->name.at, "%s is a computer, not a group: it takes no index", place->name);
    else if (place->group && !dest->index && !dest->everyone)
        knell__notes_error(c->notes, dest->name.at, "%s is a group: say which, %s[0] to %s[%u], or %s[*]", place->name,
                           place->name, place->name, place->size - 1, place->name);
    else if (dest->index)
        check_index(c, dest, place, out);
}

static void compile_dest(struct knell__compiler *c, const struct knell__rule *rule, const struct knell__action *a,
                         struct knell__fail_dest *out)
{
    if (!a->dest.sender) {
        compile_place(c, &a->dest, a->type == KNELL_FAIL_SEND, out);
        return;
    }
    out->to = KNELL__FAIL_TO_SENDER;
    if (rule->event != KNELL_FAIL_MESSAGE)
        knell__notes_error(c->notes, a->dest.name.at, "FAIL_SENDER has no meaning here: the rule takes no message");
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

static void unknown_node(struct knell__compiler *c, struct knell__word name)
{
    struct knell__hint hint = {.word = name.text};

    if (c->daemon->implicit) {
        knell__notes_error(c->notes, name.at, "daemon %s has no nodes to go to", c->daemon->name);
        return;
    }
    for (uint32_t i = 0; i < c->daemon->nodes.count; i++)
        knell__hint_offer(&hint, c->program->nodes[c->daemon->nodes.first + i].name);
    knell__notes_error(c->notes, name.at, "daemon %s has no node %s%s", c->daemon->name, name.text,
                       knell__hint_text(&hint));
}

static uint32_t find_node(struct knell__compiler *c, struct knell__word name)
{
    for (uint32_t i = 0; i < c->daemon->nodes.count && !c->daemon->implicit; i++) {
        if (strcmp(c->program->nodes[c->daemon->nodes.first + i].name, name.text) == 0)
            return i;
    }
    unknown_node(c, name);
    return 0;
}

static void compile_assign(struct knell__compiler *c, const struct knell__action *a, struct knell__fail_act *out)
{
    struct knell__binding b = knell__compile_find(c, a->name.text);

    out->text = a->name.text;
    out->value = knell__compile_expr(c, a->value, NULL);
    if (b.meaning == KNELL__VARIABLE)
        out->subject = c->program->decls[b.number].slot;
    else if (b.meaning == KNELL__PARAM)
        knell__notes_error(c->notes, a->name.at, "'%s' is a param: it keeps its value during a run", a->name.text);
    else if (b.meaning == KNELL__TIMER)
        knell__notes_error(c->notes, a->name.at, "'%s' is a timer: it is armed by entering its node", a->name.text);
    else
        knell__compile_unknown(c, a->name, false);
}

static void compile_signal(struct knell__compiler *c, const struct knell__action *a, struct knell__fail_act *out)
{
    bool constant;
    int64_t number;

    out->value = knell__compile_expr(c, a->value, &constant);
    number = c->program->ops[out->value.first].value;
    if (!constant)
        knell__notes_error(c->notes, a->value->at, "the number of a signal is a constant");
    else if (number < 1 || number > 64)
        knell__notes_error(c->notes, a->value->at, "signals have the numbers 1 to 64");
}

static void compile_slow(struct knell__compiler *c, const struct knell__action *a, struct knell__fail_act *out)
{
    bool constant;
    int64_t percent;

    out->value = knell__compile_expr(c, a->value, &constant);
    percent = c->program->ops[out->value.first].value;
    if (constant && (percent < 1 || percent > 100))
        knell__notes_error(c->notes, a->value->at, "a process gets 1 to 100 percent of its time");
}

/* The chance of a bit is known here unless it is computed. */
static void compile_chance(struct knell__compiler *c, const struct knell__action *a, struct knell__fail_act *out)
{
    bool part_is, whole_is;
    int64_t part, whole;

    out->value = knell__compile_expr(c, a->value, &part_is);
    out->whole = knell__compile_expr(c, a->whole, &whole_is);
    part = c->program->ops[out->value.first].value;
    whole = c->program->ops[out->whole.first].value;
    if (part_is && whole_is && (whole < 1 || part < 0 || part > whole))
        knell__notes_error(c->notes, a->value->at, "flip(a, b) needs 0 <= a <= b and b > 0");
}

/* flip($v): the variable itself, a bit of it is drawn. flip(a, b): a chance. Every other is the number of the bit. */
static void compile_flip(struct knell__compiler *c, const struct knell__action *a, struct knell__fail_act *out)
{
    out->subject = KNELL_FAIL_NO_SUBJECT;
    if (a->whole)
        compile_chance(c, a, out);
    else if (a->value->code == KNELL__FAIL_READ)
        out->subject = knell__compile_variable(c, a->value->name);
    else
        out->value = knell__compile_expr(c, a->value, NULL);
}

static void compile_action(struct knell__compiler *c, const struct knell__rule *rule, const struct knell__action *a)
{
    struct knell__fail_act *out = &c->program->acts[c->program->act_count++];

    out->type = a->type;
    out->at = a->at;
    switch (a->type) {
    case KNELL_FAIL_SEND:
        out->subject = knell__compile_message(c, a->name);
        compile_dest(c, rule, a, &out->dest);
        break;
    case KNELL_FAIL_CUT:
    case KNELL_FAIL_HEAL:
        compile_dest(c, rule, a, &out->dest);
        break;
    case KNELL_FAIL_GOTO:
        out->subject = find_node(c, a->name);
        break;
    case KNELL_FAIL_ASSIGN:
        compile_assign(c, a, out);
        break;
    case KNELL_FAIL_SET:
        out->subject = knell__compile_variable(c, a->name);
        out->value = knell__compile_expr(c, a->value, NULL);
        break;
    case KNELL_FAIL_SIGNAL:
        compile_signal(c, a, out);
        break;
    case KNELL_FAIL_SLOW:
        compile_slow(c, a, out);
        break;
    case KNELL_FAIL_FLIP:
        compile_flip(c, a, out);
        break;
    case KNELL_FAIL_LOG:
        out->text = a->name.text;
        break;
    case KNELL_FAIL_STAY:
    case KNELL_FAIL_HALT:
    case KNELL_FAIL_STOP:
    case KNELL_FAIL_CONTINUE:
        break;
    }
}

static void check_order(struct knell__compiler *c, const struct knell__rule *rule)
{
    const struct knell__action *stay = NULL;

    for (const struct knell__action *a = rule->actions; a; a = a->next) {
        if (a->type == KNELL_FAIL_GOTO && a->next)
            knell__notes_error(c->notes, a->at, "goto must be the last action: it takes effect after the list");
        if (a->type == KNELL_FAIL_GOTO && stay)
            knell__notes_error(c->notes, a->at, "goto and stay exclude each other");
        if (a->type == KNELL_FAIL_STAY)
            stay = a;
    }
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static uint32_t compile_timer(struct knell__compiler *c, struct knell__word name)
{
    struct knell__binding b = knell__compile_find(c, name.text);

    if (b.meaning == KNELL__TIMER)
        return b.number;
    if (b.meaning == KNELL__UNKNOWN)
        knell__compile_unknown(c, name, true);
    else
        knell__notes_error(c->notes, name.at, "'%s' is no timer: only a timer is an event by its name", name.text);
    return 0;
}

static uint32_t compile_subject(struct knell__compiler *c, const struct knell__rule *rule)
{
    switch (rule->event) {
    case KNELL_FAIL_BEFORE:
    case KNELL_FAIL_AFTER:
    case KNELL_FAIL_INSIDE:
        return knell__compile_function(c, rule->library, rule->name);
    case KNELL_FAIL_WATCH:
        return knell__compile_variable(c, rule->name);
    case KNELL_FAIL_MESSAGE:
        return knell__compile_message(c, rule->name);
    case KNELL_FAIL_TIMER:
        return compile_timer(c, rule->name);
    default:
        return 0;
    }
}

/* Of calls, and of operations: a number or a param. */
static uint64_t compile_count(struct knell__compiler *c, const char *what, const struct knell__count *count)
{
    struct knell__binding b;

    if (!count->name.text)
        return (uint64_t)count->number;
    b = knell__compile_find(c, count->name.text);
    if (b.meaning == KNELL__UNKNOWN)
        knell__compile_unknown(c, count->name, false);
    else if (b.meaning != KNELL__PARAM)
        knell__notes_error(c->notes, count->at, "which %s it is, is a number or a param: '%s' may change", what,
                           count->name.text);
    else if (b.value < 1)
        knell__notes_error(c->notes, count->at, "%ss are counted from 1", what);
    return (uint64_t)b.value;
}

static void compile_rule(struct knell__compiler *c, const struct knell__rule *rule)
{
    struct knell_fail_program *program = c->program;
    struct knell__fail_rule *out = &program->rules[program->rule_count++];

    c->rule = rule;
    out->event = rule->event;
    out->at = rule->at;
    out->count = compile_count(c, "call", &rule->call);
    out->operation = compile_count(c, "operation", &rule->operation);
    out->subject = compile_subject(c, rule);
    if (rule->event == KNELL_FAIL_MESSAGE)
        c->node->messages |= UINT64_C(1) << (out->subject % 64);
    out->conditions.first = program->condition_count;
    for (const struct knell__condition *x = rule->conditions; x; x = x->next) {
        struct knell__fail_condition *condition = &program->conditions[program->condition_count++];

        condition->left = knell__compile_expr(c, x->left, NULL);
        condition->right = knell__compile_expr(c, x->right, NULL);
        condition->relation = x->relation;
        out->conditions.count++;
    }
    out->actions.first = program->act_count;
    for (const struct knell__action *a = rule->actions; a; a = a->next, out->actions.count++)
        compile_action(c, rule, a);
    check_order(c, rule);
    c->rule = NULL;
}

void knell__compile_rules(struct knell__compiler *c, const struct knell__rule *rules)
{
    c->node->rules.first = c->program->rule_count;
    for (; rules && !knell__notes_enough(c->notes); rules = rules->next, c->node->rules.count++)
        compile_rule(c, rules);
}
