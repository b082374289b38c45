/* options_value.c: the values of options. Each kind checks the value against its limits before it sets the variable. */
#include "cli/common/options_value.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int option_refuse(const struct usage *usage, const struct option *o, const char *value, const char *wrong)
{
    return cli_usage_error(usage, "--%s %.80s: %s", o->name, *value ? value : "''", wrong);
}

static int set_integer(const struct usage *usage, const struct option *o, const char *value)
{
    char wrong[96];
    int64_t parsed;

    if (parse_integer(value, &parsed) || parsed < o->min || parsed > o->max) {
        snprintf(wrong, sizeof wrong, "must be a whole number from %" PRId64 " to %" PRId64, o->min, o->max);
        return option_refuse(usage, o, value, wrong);
    }
    *o->to.integer = parsed;
    return -1;
}

static int set_real(const struct usage *usage, const struct option *o, const char *value)
{
    char wrong[96];
    double parsed;

    if (parse_real(value, &parsed) || parsed < o->real_min || parsed > o->real_max) {
        snprintf(wrong, sizeof wrong, "must be a number from %g to %g", o->real_min, o->real_max);
        return option_refuse(usage, o, value, wrong);
    }
    *o->to.real = parsed;
    return -1;
}

static int set_duration(const struct usage *usage, const struct option *o, const char *value)
{
    char wrong[96], low[DURATION_TEXT], high[DURATION_TEXT];
    int64_t parsed;
    const char *reason = parse_duration(value, &parsed);

    if (reason)
        return option_refuse(usage, o, value, reason);
    if (parsed < o->min || parsed > o->max) {
        snprintf(wrong, sizeof wrong, "must be from %s to %s", format_duration(o->min, low),
                 format_duration(o->max, high));
        return option_refuse(usage, o, value, wrong);
    }
    *o->to.integer = parsed;
    return -1;
}

static int set_seconds(const struct usage *usage, const struct option *o, const char *value)
{
    char wrong[96], low[DURATION_TEXT], high[DURATION_TEXT];
    double parsed;
    const char *reason = parse_seconds(value, &parsed);

    if (reason)
        return option_refuse(usage, o, value, reason);
    if (parsed < o->real_min || parsed > o->real_max) {
        snprintf(wrong, sizeof wrong, "must be from %s to %s", format_seconds(o->real_min, 12, low),
                 format_seconds(o->real_max, 12, high));
        return option_refuse(usage, o, value, wrong);
    }
    *o->to.real = parsed;
    return -1;
}

static int set_word(const struct usage *usage, const struct option *o, const char *value)
{
    char wrong[256] = "must be one of";

    for (int i = 0; o->words[i]; i++) {
        if (strcmp(o->words[i], value) == 0) {
            *o->to.word = i;
            return -1;
        }
        size_t used = strlen(wrong);
        snprintf(wrong + used, sizeof wrong - used, " %s", o->words[i]);
    }
    return option_refuse(usage, o, value, wrong);
}

int option_collect(const struct usage *usage, const struct option *o, const char *value)
{
    if (o->to.texts->n == TEXTS_MAX)
        return cli_usage_error(usage, "%.80s: more than %d of them", value, TEXTS_MAX);
    o->to.texts->items[o->to.texts->n++] = value;
    return -1;
}

int option_set(const struct usage *usage, const struct option *o, const char *value)
{
    if (*value == '\0' && o->kind >= OPTION_TEXT)
        return option_refuse(usage, o, value, "must not be empty");
    switch (o->kind) {
    case OPTION_INTEGER:
        return set_integer(usage, o, value);
    case OPTION_REAL:
        return set_real(usage, o, value);
    case OPTION_DURATION:
        return set_duration(usage, o, value);
    case OPTION_SECONDS:
        return set_seconds(usage, o, value);
    case OPTION_WORD:
        return set_word(usage, o, value);
    case OPTION_TEXT:
        *o->to.text = value;
        return -1;
    case OPTION_TEXTS:
        return option_collect(usage, o, value);
    case OPTION_FLAG:
    case OPTION_OPERANDS:
    case OPTION_PROGRAM:
        break;
    }
    assert(!"a kind with a value");
    return EXIT_FAILED;
}
