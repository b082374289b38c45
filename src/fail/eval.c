/* The stack machine. Every operation is checked: a result that is no 64-bit number, a division by zero, a draw from
 * an empty range are faults with a place, never a wrong number. */
#include "fail/eval.h"
#include "util/prng.h"

#include <assert.h>

const char *knell_fail_fault_text(enum knell_fail_fault_type type)
{
    static const char *const texts[] = {
        "the result does not fit in 64 bits",      "division by zero",
        "nothing to draw from: an empty range",    "no such slot",
        "the variable or argument cannot be read", "a time that is negative or beyond 292 years",
        "a percentage that is not from 1 to 100",
    };

    return texts[type];
}

static bool divide(enum knell__fail_code code, int64_t a, int64_t b, int64_t *result, enum knell_fail_fault_type *why)
{
    if (b == 0) {
        *why = KNELL_FAIL_FAULT_DIVISION;
        return false;
    }
    if (b == -1) { /* INT64_MIN / -1 */
        *why = KNELL_FAIL_FAULT_OVERFLOW;
        *result = 0;
        return code == KNELL__FAIL_MOD || !__builtin_sub_overflow(INT64_C(0), a, result);
    }
    *result = code == KNELL__FAIL_DIV ? a / b : a % b;
    return true;
}

bool knell__eval_binary(enum knell__fail_code code, int64_t a, int64_t b, int64_t *result,
                        enum knell_fail_fault_type *why)
{
    *why = KNELL_FAIL_FAULT_OVERFLOW;
    switch (code) {
    case KNELL__FAIL_ADD:
        return !__builtin_add_overflow(a, b, result);
    case KNELL__FAIL_SUB:
        return !__builtin_sub_overflow(a, b, result);
    case KNELL__FAIL_MUL:
        return !__builtin_mul_overflow(a, b, result);
    default:
        return divide(code, a, b, result, why);
    }
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

static uint64_t draw(struct knell__machine *m)
{
    return knell_prng_at(m->key, (*m->draws)++);
}

/* One draw gives one number: the part of 2^64 that does not divide evenly is spread, not redrawn, so that the number of
 * draws never depends on their values. The unevenness is below n / 2^64. */
static int64_t draw_between(struct knell__machine *m, int64_t a, int64_t b)
{
    uint64_t bits = draw(m), span = (uint64_t)b - (uint64_t)a;

    if (span == UINT64_MAX)
        return (int64_t)bits;
    return (int64_t)((uint64_t)a + (uint64_t)(((unsigned __int128)bits * (span + 1)) >> 64));
}

static bool draw_life(struct knell__machine *m, enum knell__fail_code code, int64_t a, int64_t b, int64_t *result,
                      enum knell_fail_fault_type *why)
{
    if (code == KNELL__FAIL_EXP ? b < 0 : a < 0 || b < 1) {
        *why = KNELL_FAIL_FAULT_RANGE;
        return false;
    }
    *result = code == KNELL__FAIL_EXP ? knell__life_exponential(draw(m), b) : knell__life_weibull(draw(m), a, b);
    *why = KNELL_FAIL_FAULT_OVERFLOW;
    return *result >= 0;
}

static bool draw_binary(struct knell__machine *m, enum knell__fail_code code, int64_t a, int64_t b, int64_t *result,
                        enum knell_fail_fault_type *why)
{
    *why = KNELL_FAIL_FAULT_RANGE;
    if (code == KNELL__FAIL_RANDOM) {
        if (a > b)
            return false;
        *result = draw_between(m, a, b);
        return true;
    }
    if (code == KNELL__FAIL_CHANCE) {
        if (b < 1 || a < 0 || a > b)
            return false;
        *result = draw_between(m, 0, b - 1) < a;
        return true;
    }
    return draw_life(m, code, a, b, result, why);
}

/* ---- the machine ------------------------------------------------------------------------------------------------- */

static bool fault(struct knell__machine *m, const struct knell__fail_op *op, enum knell_fail_fault_type type)
{
    m->fault = (struct knell_fail_fault){type, op->line, op->column};
    return false;
}

/* One operand for NEG and EXP (as b, with a = 0), two for the others. */
static bool compute(struct knell__machine *m, const struct knell__fail_op *op, int64_t a, int64_t b, int64_t *result)
{
    enum knell__fail_code code = (enum knell__fail_code)op->code;
    enum knell_fail_fault_type why;

    if (code >= KNELL__FAIL_RANDOM)
        return draw_binary(m, code, a, b, result, &why) || fault(m, op, why);
    if (code == KNELL__FAIL_NEG)
        code = KNELL__FAIL_SUB;
    return knell__eval_binary(code, a, b, result, &why) || fault(m, op, why);
}

bool knell__eval(struct knell__machine *m, struct knell__fail_slice code, int64_t *result)
{
    const struct knell__fail_op *op = m->ops + code.first, *end = op + code.count;
    int64_t stack[KNELL_FAIL_TERMS_MAX + 1];
    int64_t *top = stack; /* the next free place */

    for (; op < end; op++) {
        switch (op->code) {
        case KNELL__FAIL_CONST:
            *top++ = op->value;
            break;
        case KNELL__FAIL_LOAD:
            *top++ = m->variables[op->value];
            break;
        case KNELL__FAIL_READ:
            if (!m->read || !m->read(m->reader, (uint32_t)op->value, top))
                return fault(m, op, KNELL_FAIL_FAULT_READ);
            top++;
            break;
        case KNELL__FAIL_ARGUMENT:
            if (op->value > m->argument_count)
                return fault(m, op, KNELL_FAIL_FAULT_READ);
            *top++ = m->arguments[op->value - 1];
            break;
        case KNELL__FAIL_NEG:
        case KNELL__FAIL_EXP:
            assert(top > stack); /* the compiler counts what is there */
            if (!compute(m, op, 0, top[-1], &top[-1]))
                return false;
            break;
        default:
            assert(top > stack + 1);
            top--;
            if (!compute(m, op, top[-1], top[0], &top[-1]))
                return false;
        }
    }
    assert(top == stack + 1);
    *result = stack[0];
    return true;
}
