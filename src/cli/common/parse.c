/* parse.c: see parse.h. strtod and strtoll convert the digits; whatever they accept beyond plain decimal is refused
 * before they see it. */
#include "cli/common/parse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct unit {
    const char *name;
    int64_t ns;
} units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
    {"min", (int64_t)60 * 1000000000},
    {"h", (int64_t)3600 * 1000000000},
    {"d", (int64_t)86400 * 1000000000},
    {"y", (int64_t)365 * 86400 * 1000000000},
};

enum { UNITS = sizeof units / sizeof *units };

static const char needs_unit[] = "needs a unit: ns us ms s min h d y, as in 10ms";

/* The end of the decimal number at the start of text, or text itself if there is none: [+-] digits [. digits] [e
 * [+-] digits]. */
static const char *number_end(const char *text)
{
    static const char digits[] = "0123456789";
    const char *p = text + (*text == '-' || *text == '+');
    size_t before = strspn(p, digits), after = 0;

    p += before;
    if (*p == '.') {
        after = strspn(p + 1, digits);
        p += 1 + after;
    }
    if (before + after == 0)
        return text;
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1 + (p[1] == '-' || p[1] == '+');
        size_t n = strspn(exponent, digits);

        if (n > 0)
            p = exponent + n;
    }
    return p;
}

static const struct unit *find_unit(const char *name)
{
    for (int i = 0; i < UNITS; i++) {
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    }
    return NULL;
}

/* Splits text into a number and a unit. long double keeps every nanosecond of 200 years where it has 64 bits. */
static const char *split(const char *text, long double *number, const struct unit **unit)
{
    const char *end = number_end(text);

    if (end == text)
        return "must be a number with a unit: ns us ms s min h d y, as in 10ms";
    if (*end == '\0' || !(*unit = find_unit(end)))
        return needs_unit;
    *number = strtold(text, NULL);
    if (*number < 0 || (*number == 0 && *text == '-'))
        return "must not be negative";
    return NULL;
}

const char *parse_duration(const char *text, int64_t *duration_ns)
{
    long double number, ns;
    const struct unit *unit;
    const char *wrong = split(text, &number, &unit);

    if (wrong)
        return wrong;
    ns = number * (long double)unit->ns;
    if (!(ns <= (long double)DURATION_MAX_NS))
        return "must be at most 200y";
    if (ns > 0 && llroundl(ns) == 0)
        return "must be 0 or at least 1ns";
    *duration_ns = llroundl(ns);
    return NULL;
}

const char *parse_seconds(const char *text, double *seconds)
{
    long double number;
    const struct unit *unit;
    const char *wrong = split(text, &number, &unit);

    if (wrong)
        return wrong;
    double value = (double)(number * (long double)unit->ns / 1e9L);
    if (!isfinite(value))
        return "is too large";
    *seconds = value;
    return NULL;
}

const char *parse_integer(const char *text, int64_t *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;

    if (*digits < '0' || *digits > '9')
        return "must be a whole number";
    errno = 0;
    long long parsed = strtoll(text, &end, 10);
    if (*end)
        return "must be a whole number";
    if (errno == ERANGE)
        return "is too large";
    *value = parsed;
    return NULL;
}

const char *parse_real(const char *text, double *value)
{
    const char *end = number_end(text);

    if (end == text || *end)
        return "must be a number";
    double parsed = strtod(text, NULL);
    if (!isfinite(parsed))
        return "is too large";
    *value = parsed;
    return NULL;
}

const char *format_seconds(double seconds, int digits, char text[DURATION_TEXT])
{
    const struct unit *unit = &units[0];
    double rounded = seconds * 1e9 * (1 + 0.5 * pow(10, -digits)); /* 999.9999 ns reads as 1 us, not as 1000 ns */

    for (int i = 1; i < UNITS; i++) {
        if (rounded >= (double)units[i].ns)
            unit = &units[i];
    }
    if (seconds == 0)
        unit = find_unit("s");
    snprintf(text, DURATION_TEXT, "%.*g %s", digits, seconds * 1e9 / (double)unit->ns, unit->name);
    return text;
}

const char *format_duration(int64_t duration_ns, char text[DURATION_TEXT])
{
    return format_seconds((double)duration_ns / 1e9, 12, text);
}
