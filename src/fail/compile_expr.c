/* Expressions to postfix code. Constant parts are computed here, so that a constant index, a division by a param
 * that is zero and the like are found before anything runs. */
#include "fail/compile.h"
#include "fail/eval.h"

static void emit(struct knell__compiler *c, enum knell__fail_code code, int64_t value, struct knell__fail_at at)
{
    struct knell__fail_op *op = &c->program->ops[c->program->op_count++];

    op->code = (uint8_t)code;
    op->value = value;
    op->line = at.line;
    op->column = (uint16_t)(at.column < UINT16_MAX ? at.column : UINT16_MAX);
}

static bool emit_name(struct knell__compiler *c, const struct knell__expr *e)
{
    struct knell__binding b = knell__compile_find(c, e->name.text);

    if (b.meaning == KNELL__VARIABLE) {
        emit(c, KNELL__FAIL_LOAD, c->program->decls[b.number].slot, e->at);
        return false;
    }
    if (b.meaning == KNELL__TIMER)
        knell__notes_error(c->notes, e->at, "'%s' is a timer, it has no value", e->name.text);
    else if (b.meaning == KNELL__UNKNOWN)
        knell__compile_unknown(c, e->name, false);
    emit(c, KNELL__FAIL_CONST, b.value, e->at);
    return b.meaning == KNELL__PARAM;
}

/* The operands are the last two ops: replace them by the result. */
static bool fold(struct knell__compiler *c, const struct knell__expr *e)
{
    struct knell__fail_op *ops = &c->program->ops[c->program->op_count - (e->right ? 2 : 1)];
    int64_t a = e->right ? ops[0].value : 0, b = e->right ? ops[1].value : ops[0].value, result;
    enum knell__fail_code code = e->right ? e->code : KNELL__FAIL_SUB;
    enum knell_fail_fault_type why;

    if (!knell__eval_binary(code, a, b, &result, &why)) {
        knell__notes_error(c->notes, e->at, "%s", knell_fail_fault_text(why));
        result = 0;
    }
    c->program->op_count -= e->right ? 2 : 1;
    emit(c, KNELL__FAIL_CONST, result, e->at);
    return true;
}

/* Draws are never folded, but their constant arguments can be wrong. */
static void check_draw(struct knell__compiler *c, const struct knell__expr *e)
{
    const struct knell__fail_op *last = &c->program->ops[c->program->op_count - 1];

    if (e->code == KNELL__FAIL_RANDOM && last[-1].value > last->value)
        knell__notes_error(c->notes, e->at, "FAIL_RANDOM(a, b) needs a <= b");
    if (e->code == KNELL__FAIL_CHANCE && (last->value < 1 || last[-1].value < 0 || last[-1].value > last->value))
        knell__notes_error(c->notes, e->at, "FAIL_CHANCE(a, b) needs 0 <= a <= b and b > 0");
    if (e->code == KNELL__FAIL_EXP && last->value < 0)
        knell__notes_error(c->notes, e->at, "FAIL_EXP(mean) needs a mean of at least 0");
    if (e->code == KNELL__FAIL_WEIBULL && (last[-1].value < 0 || last->value < 1))
        knell__notes_error(c->notes, e->at,
                           "FAIL_WEIBULL(scale, shape) needs a scale of at least 0, a shape of at least 1");
}

static void emit_argument(struct knell__compiler *c, const struct knell__expr *e)
{
    const char *digits = e->name.text + strlen("$arg");
    int64_t number = 0;

    for (; *digits && number <= KNELL_FAIL_ARGUMENTS_MAX; digits++)
        number = number * 10 + (*digits - '0');
    if (!c->rule || c->rule->event != KNELL_FAIL_BEFORE)
        knell__notes_error(c->notes, e->at,
                           "%s has no meaning here: only a rule of before(...) has a call with arguments",
                           e->name.text);
    else if (number < 1 || number > KNELL_FAIL_ARGUMENTS_MAX)
        knell__notes_error(c->notes, e->at, "arguments have the numbers 1 to %d", KNELL_FAIL_ARGUMENTS_MAX);
    emit(c, KNELL__FAIL_ARGUMENT, number, e->at);
}

/* True: the whole is one constant op. */
static bool emit_expr(struct knell__compiler *c, const struct knell__expr *e)
{
    bool constant;

    if (e->code == KNELL__FAIL_READ && knell__is_argument(e->name.text)) {
        emit_argument(c, e);
        return false;
    }
    if (e->code == KNELL__FAIL_READ) {
        emit(c, KNELL__FAIL_READ, knell__compile_variable(c, e->name), e->at);
        return false;
    }
    if (e->code == KNELL__FAIL_CONST && e->name.text)
        return emit_name(c, e);
    if (e->code == KNELL__FAIL_CONST) {
        emit(c, KNELL__FAIL_CONST, e->value, e->at);
        return true;
    }
    constant = emit_expr(c, e->left);
    if (e->right)
        constant &= emit_expr(c, e->right);
    if (constant && e->code < KNELL__FAIL_RANDOM)
        return fold(c, e);
    if (constant)
        check_draw(c, e);
    emit(c, e->code, 0, e->at);
    return false;
}

struct knell__fail_slice knell__compile_expr(struct knell__compiler *c, const struct knell__expr *expr, bool *constant)
{
    struct knell__fail_slice slice = {c->program->op_count, 0};
    bool folded = emit_expr(c, expr);

    slice.count = c->program->op_count - slice.first;
    if (constant)
        *constant = folded;
    return slice;
}
