/* The parser of options.h: matches arguments with the table, checks each value against its kind and its limits. */
#include "cli/options.h"
#include "cli/suggest.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct parser {
    const struct knell_usage *usage;
    struct knell_option *options;
    size_t n;
};

/* A value may hold a newline or an escape sequence: the complaint stays one line, and harmless. */
static void complain(const struct knell_usage *usage, const char *format, va_list args)
{
    char line[1024];

    vsnprintf(line, sizeof line, format, args);
    for (char *p = line; *p; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = '?';
    }
    fprintf(stderr, "%s: %s\n", usage->command, line);
}

int knell__cli_fail(const struct knell_usage *usage, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain(usage, format, args);
    va_end(args);
    return KNELL_EXIT_USAGE;
}

int knell__cli_broken(const struct knell_usage *usage, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain(usage, format, args);
    va_end(args);
    return KNELL_EXIT_FAILED;
}

const struct knell_option *knell_options_find(const struct knell_option *options, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(options[i].name, name) == 0)
            return &options[i];
    }
    assert(!"an option of the table");
    return NULL;
}

/* The option called by the first `length` letters of name. */
static struct knell_option *match(const struct parser *p, const char *name, size_t length)
{
    for (size_t i = 0; i < p->n; i++) {
        struct knell_option *o = &p->options[i];

        if (o->kind != KNELL_OPTION_OPERANDS && strlen(o->name) == length && memcmp(o->name, name, length) == 0)
            return o;
    }
    return NULL;
}

static int unknown(const struct parser *p, const char *name, size_t length)
{
    char word[32];
    struct knell_suggestion s = {.word = word};

    snprintf(word, sizeof word, "%.*s", (int)length, name);
    for (size_t i = 0; i < p->n; i++) {
        if (p->options[i].kind != KNELL_OPTION_OPERANDS)
            knell__suggestion_offer(&s, p->options[i].name);
    }
    if (s.best)
        return knell__cli_fail(p->usage, "unknown option --%s, did you mean --%s?", word, s.best);
    return knell__cli_fail(p->usage, "unknown option --%s; `%s --help` lists them", word, p->usage->command);
}

/* "--opt value: what is wrong". Long values are cut, so that what is allowed still fits. */
static int bad_value(const struct parser *p, const struct knell_option *o, const char *value, const char *wrong)
{
    return knell__cli_fail(p->usage, "--%s %.80s: %s", o->name, *value ? value : "''", wrong);
}

static int set_integer(const struct parser *p, const struct knell_option *o, const char *value)
{
    char wrong[96];
    int64_t parsed;

    if (knell__parse_integer(value, &parsed) || parsed < o->min || parsed > o->max) {
        snprintf(wrong, sizeof wrong, "must be a whole number from %" PRId64 " to %" PRId64, o->min, o->max);
        return bad_value(p, o, value, wrong);
    }
    *o->to.integer = parsed;
    return -1;
}

static int set_real(const struct parser *p, const struct knell_option *o, const char *value)
{
    char wrong[96];
    double parsed;

    if (knell__parse_real(value, &parsed) || parsed < o->real_min || parsed > o->real_max) {
        snprintf(wrong, sizeof wrong, "must be a number from %g to %g", o->real_min, o->real_max);
        return bad_value(p, o, value, wrong);
    }
    *o->to.real = parsed;
    return -1;
}

static int set_duration(const struct parser *p, const struct knell_option *o, const char *value)
{
    char wrong[96], low[KNELL_DURATION_TEXT], high[KNELL_DURATION_TEXT];
    int64_t parsed;
    const char *reason = knell__parse_duration(value, &parsed);

    if (reason)
        return bad_value(p, o, value, reason);
    if (parsed < o->min || parsed > o->max) {
        snprintf(wrong, sizeof wrong, "must be from %s to %s", knell__format_duration(o->min, low),
                 knell__format_duration(o->max, high));
        return bad_value(p, o, value, wrong);
    }
    *o->to.integer = parsed;
    return -1;
}

static int set_seconds(const struct parser *p, const struct knell_option *o, const char *value)
{
    char wrong[96], low[KNELL_DURATION_TEXT], high[KNELL_DURATION_TEXT];
    double parsed;
    const char *reason = knell__parse_seconds(value, &parsed);

    if (reason)
        return bad_value(p, o, value, reason);
    if (parsed < o->real_min || parsed > o->real_max) {
        snprintf(wrong, sizeof wrong, "must be from %s to %s", knell__format_seconds(o->real_min, 12, low),
                 knell__format_seconds(o->real_max, 12, high));
        return bad_value(p, o, value, wrong);
    }
    *o->to.real = parsed;
    return -1;
}

static int set_word(const struct parser *p, const struct knell_option *o, const char *value)
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
    return bad_value(p, o, value, wrong);
}

static int collect(const struct parser *p, const struct knell_option *o, const char *value)
{
    if (o->to.texts->n == KNELL_TEXTS_MAX)
        return knell__cli_fail(p->usage, "%.80s: more than %d of them", value, KNELL_TEXTS_MAX);
    o->to.texts->items[o->to.texts->n++] = value;
    return -1;
}

static int set_value(const struct parser *p, const struct knell_option *o, const char *value)
{
    if (*value == '\0' && o->kind >= KNELL_OPTION_TEXT)
        return bad_value(p, o, value, "must not be empty");
    switch (o->kind) {
    case KNELL_OPTION_INTEGER: return set_integer(p, o, value);
    case KNELL_OPTION_REAL: return set_real(p, o, value);
    case KNELL_OPTION_DURATION: return set_duration(p, o, value);
    case KNELL_OPTION_SECONDS: return set_seconds(p, o, value);
    case KNELL_OPTION_WORD: return set_word(p, o, value);
    case KNELL_OPTION_TEXT: *o->to.text = value; return -1;
    case KNELL_OPTION_TEXTS: return collect(p, o, value);
    case KNELL_OPTION_FLAG:
    case KNELL_OPTION_OPERANDS: break;
    }
    assert(!"a kind with a value");
    return KNELL_EXIT_FAILED;
}

/* argv[*at] starts with "--"; moves *at over a value in an argument of its own. */
static int take_option(const struct parser *p, int argc, char **argv, int *at)
{
    const char *name = argv[*at] + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    struct knell_option *o = match(p, name, length);

    if (!o)
        return unknown(p, name, length);
    if (o->given && o->kind != KNELL_OPTION_TEXTS)
        return knell__cli_fail(p->usage, "--%s: given twice", o->name);
    o->given = true;
    if (o->kind == KNELL_OPTION_FLAG) {
        if (value)
            return bad_value(p, o, value, "takes no value");
        *o->to.flag = true;
        return -1;
    }
    if (!value && *at + 1 < argc)
        value = argv[++*at];
    if (!value)
        return knell__cli_fail(p->usage, "--%s: needs a value", o->name);
    return set_value(p, o, value);
}

static int take_operand(const struct parser *p, const char *value)
{
    for (size_t i = 0; i < p->n; i++) {
        struct knell_option *o = &p->options[i];

        if (o->kind != KNELL_OPTION_OPERANDS)
            continue;
        if ((int64_t)o->to.texts->n == o->max)
            break;
        if (*value == '\0')
            return knell__cli_fail(p->usage, "%s '': must not be empty", o->name);
        o->given = true;
        return collect(p, o, value);
    }
    return knell__cli_fail(p->usage, "%.80s: unexpected; %s", *value ? value : "''",
                           p->usage->stray ? p->usage->stray : "options start with --");
}

/* Before the command line: a default is a value like any other, and a wrong one in the table is found by the first
 * test. */
static int set_fallbacks(const struct parser *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->options[i].fallback && set_value(p, &p->options[i], p->options[i].fallback) >= 0)
            return KNELL_EXIT_USAGE;
    }
    return -1;
}

static int check_missing(const struct parser *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct knell_option *o = &p->options[i];

        if (o->kind == KNELL_OPTION_OPERANDS && (int64_t)o->to.texts->n < o->min)
            return knell__cli_fail(p->usage, "%s is missing; `%s --help` explains it", o->name, p->usage->command);
        if (o->required && !o->given)
            return knell__cli_fail(p->usage, "--%s is missing; `%s --help` explains it", o->name, p->usage->command);
    }
    return -1;
}

int knell_options_parse(const struct knell_usage *usage, struct knell_option *options, size_t n, int argc, char **argv)
{
    struct parser p = {usage, options, n};
    int status = set_fallbacks(&p);

    for (int i = 1; i < argc && status < 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            knell__options_help(usage, options, n);
            return KNELL_EXIT_OK;
        }
        bool option = argv[i][0] == '-' && argv[i][1] == '-' && argv[i][2] != '\0';
        status = option ? take_option(&p, argc, argv, &i) : take_operand(&p, argv[i]);
    }
    return status >= 0 ? status : check_missing(&p);
}
