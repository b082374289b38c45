/* Wrong bits in a message. Each of n bits is flipped with the probability p, independently: their number is drawn from the
 * binomial distribution by inversion, then which ones they are. Only additions, multiplications and divisions of doubles: these
 * are the same on every machine, a logarithm need not be. */
#include "util/prng.h"

#include <knell/fail.h>

/* Bits are taken in stretches with so many flips to be expected, so that (1 - p)^n is far from the smallest double; more
 * than MOST of them in one are as unlikely as 2^-53, below which nothing is drawn. */
enum { EXPECTED = 8, MOST = 64, LONGEST = 1 << 30 };

struct stretch {
    uint8_t *message;
    uint64_t first, bits;
};

static void flip_bit(const struct stretch *s, uint64_t bit)
{
    bit += s->first;
    s->message[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static double power(double base, uint64_t exponent)
{
    double result = 1;

    for (; exponent; exponent >>= 1, base *= base) {
        if (exponent & 1)
            result *= base;
    }
    return result;
}

/* The smallest k with u < P(0) + ... + P(k). */
static unsigned draw_number(struct knell_prng *g, uint64_t n, double p)
{
    double u = knell_prng_unit(g), chance = power(1 - p, n), sum = chance;
    unsigned k = 0;

    for (; u >= sum && k < MOST && k < n; k++) {
        chance *= (double)(n - k) / (k + 1) * (p / (1 - p));
        sum += chance;
    }
    return k;
}

/* So many different ones, every choice as likely (Floyd): the j-th is among the first n - count + j + 1, and if it is there
 * already, the last of these is taken. */
static void flip_some(struct knell_prng *g, const struct stretch *s, unsigned count)
{
    uint64_t chosen[MOST];

    for (unsigned j = 0; j < count; j++) {
        uint64_t last = s->bits - count + j, bit = knell_prng_below(g, last + 1);

        for (unsigned i = 0; i < j; i++) {
            if (chosen[i] == bit)
                bit = last;
        }
        chosen[j] = bit;
        flip_bit(s, bit);
    }
}

static uint64_t flip_stretch(struct knell_prng *g, const struct stretch *s, double p)
{
    unsigned count = p > 0 ? draw_number(g, s->bits, p) : 0;

    flip_some(g, s, count);
    return count;
}

static uint64_t flip_each(const struct knell_fail_flip *flip, uint8_t *message, uint64_t bits, double p)
{
    struct knell_prng g;
    uint64_t count = 0, step = p * LONGEST < EXPECTED ? LONGEST : (uint64_t)(EXPECTED / p);

    knell_prng_seed(&g, flip->key);
    for (uint64_t first = 0; first < bits; first += step) {
        struct stretch s = {message, first, bits - first < step ? bits - first : step};

        count += flip_stretch(&g, &s, p);
    }
    return count;
}

static void flip_all(uint8_t *message, size_t size)
{
    for (size_t i = 0; i < size; i++)
        message[i] = (uint8_t)~message[i];
}

uint64_t knell_fail_flip(const struct knell_fail_flip *flip, void *message, size_t size)
{
    uint64_t bits = 8 * (uint64_t)size;
    struct stretch all = {message, 0, bits};

    if (size == 0)
        return 0;
    if (flip->whole == 0) {
        flip_bit(&all, (uint64_t)flip->value % bits);
        return 1;
    }
    if (flip->value <= flip->whole / 2)
        return flip_each(flip, message, bits, (double)flip->value / (double)flip->whole);
    /* more than half of them: all, and some of them back */
    flip_all(message, size);
    return bits - flip_each(flip, message, bits, (double)(flip->whole - flip->value) / (double)flip->whole);
}
