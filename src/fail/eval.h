/* Expressions at work: the stack machine, its arithmetic and its draws. Used by the interpreter and, for constants,
 * by the compiler. */
#ifndef KNELL_FAIL_EVAL_H
#define KNELL_FAIL_EVAL_H

#include "fail/program.h"

struct knell__machine {
    const struct knell__fail_op *ops;
    const int64_t *variables;
    uint64_t key;    /* of the draws of this instance */
    uint64_t *draws; /* how many it has made */
    void *reader;
    bool (*read)(void *reader, uint32_t variable, int64_t *value);
    const int64_t *arguments; /* of the call at hand */
    uint32_t argument_count;
    struct knell_fail_fault fault;
};

/* False: a fault, in machine->fault. */
bool knell__eval(struct knell__machine *machine, struct knell__fail_slice code, int64_t *result);

/* a + b, a - b, ... ; false: overflow or division by zero, said in *why. */
bool knell__eval_binary(enum knell__fail_code code, int64_t a, int64_t b, int64_t *result,
                        enum knell_fail_fault_type *why);

/* Life spans from 64 random bits, in fixed-point arithmetic: the same on every machine. -1: beyond 64 bits. */
int64_t knell__life_exponential(uint64_t bits, int64_t mean);
int64_t knell__life_weibull(uint64_t bits, int64_t scale, int64_t shape_thousandths);

#endif
