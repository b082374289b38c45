/* Life spans: exponential and Weibull numbers out of 64 random bits, by inversion, in integers throughout. A
 * logarithm of a math library may differ in its last bit from one machine to the next, and with it the millisecond
 * at which a process dies; these do not. -ln u is exact to 2^-30, which a span in milliseconds does not show. */
#include "fail/eval.h"

#define ONE (UINT64_C(1) << 63)
#define LN2 0xb17217f7d1cf79acu /* ln 2 * 2^64 */

/* 2^(1/2), 2^(1/4), ... 2^(2^-32), times 2^63. */
static const uint64_t roots[32] = {
    0xb504f333f9de6484u, 0x9837f0518db8a96fu, 0x8b95c1e3ea8bd6e7u, 0x85aac367cc487b15u, 0x82cd8698ac2ba1d7u,
    0x8164d1f3bc030773u, 0x80b1ed4fd999ab6cu, 0x8058d7d2d5e5f6b1u, 0x802c6436d0e04f51u, 0x8016302f17467628u,
    0x800b179c82028fd1u, 0x80058baf7fee3b5du, 0x8002c5d00fdcfcb7u, 0x800162e61bed4a49u, 0x8000b17292f702a4u,
    0x800058b92abbae02u, 0x80002c5c8dade4d7u, 0x8000162e44eaf636u, 0x80000b1721fa7c19u, 0x8000058b90de7e4du,
    0x800002c5c8678f37u, 0x80000162e431dba0u, 0x800000b1721872d1u, 0x80000058b90c1aa9u, 0x8000002c5c8605a4u,
    0x800000162e4300e6u, 0x8000000b17217ff8u, 0x800000058b90bfddu, 0x80000002c5c85fe7u, 0x8000000162e42ff2u,
    0x80000000b17217f8u, 0x8000000058b90bfcu,
};

static uint64_t multiply(uint64_t a, uint64_t b, unsigned shift)
{
    return (uint64_t)(((unsigned __int128)a * b) >> shift);
}

/* log2(x) * 2^32 for x >= 1: the whole part by counting, each binary digit of the rest by squaring. */
static uint64_t log2_fixed(uint64_t x)
{
    unsigned whole = 63 - (unsigned)__builtin_clzll(x);
    uint64_t m = x << (63 - whole), digits = 0;

    for (int i = 0; i < 32; i++) {
        unsigned __int128 square = (unsigned __int128)m * m; /* in [2^126, 2^128) */

        digits <<= 1;
        if (square >> 127) {
            digits |= 1;
            m = (uint64_t)(square >> 64);
        } else {
            m = (uint64_t)(square >> 63);
        }
    }
    return ((uint64_t)whole << 32) | digits;
}

/* -ln(u) * 2^32 for u = x / 2^64, the bits taken as an odd number so that u is neither 0 nor 1. At most 64 ln 2 =
 * 44.4. */
static uint64_t minus_log(uint64_t bits)
{
    return multiply((UINT64_C(64) << 32) - log2_fixed(bits | 1), LN2, 64);
}

/* value * 2^(power / 2^32), rounded; -1 if it does not fit in 63 bits. */
static int64_t scale_by_power(int64_t value, __int128 power)
{
    __int128 whole = power >> 32;
    uint32_t rest = (uint32_t)power;
    uint64_t m = ONE;
    unsigned __int128 product;

    for (int i = 0; i < 32; i++) {
        if (rest & (UINT32_C(1) << (31 - i)))
            m = multiply(m, roots[i], 63);
    }
    product = (unsigned __int128)(uint64_t)value * m; /* value * 2^rest * 2^63, below 2^127 */
    if (value == 0 || whole < -64)
        return 0;
    if (whole >= 63)
        return -1;
    if (whole < 0)
        product >>= -whole;
    else if (product >> (126 - whole))
        return -1;
    else
        product <<= whole;
    product = (product + (ONE >> 1)) >> 63;
    return product > INT64_MAX ? -1 : (int64_t)product;
}

int64_t knell__life_exponential(uint64_t bits, int64_t mean)
{
    unsigned __int128 product = (unsigned __int128)minus_log(bits) * (uint64_t)mean + (UINT64_C(1) << 31);

    product >>= 32;
    return product > INT64_MAX ? -1 : (int64_t)product;
}

/* scale * (-ln u)^(1/k) = scale * 2^(log2(-ln u) / k) */
int64_t knell__life_weibull(uint64_t bits, int64_t scale, int64_t shape_thousandths)
{
    uint64_t e = minus_log(bits);
    __int128 power;

    if (e == 0)
        return 0;
    power = (__int128)log2_fixed(e) - (INT64_C(32) << 32);
    return scale_by_power(scale, power * 1000 / shape_thousandths);
}
