/* options.c: the parser of options.h. It matches the arguments with the table. */
#include "cli/common/options.h"
#include "cli/common/options_value.h"
#include "cli/common/suggest.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct parser {
    const struct usage *usage;
    struct option *options;
    size_t n;
};

/* A value may hold a newline or an escape sequence: the complaint stays one line, and harmless. */
static void complain(const struct usage *usage, const char *format, va_list args)
{
    char line[1024];

    vsnprintf(line, sizeof line, format, args);
    for (char *p = line; *p; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = '?';
    }
    fprintf(stderr, "%s: %s\n", usage->command, line);
}

int cli_usage_error(const struct usage *usage, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain(usage, format, args);
    va_end(args);
    return EXIT_USAGE;
}

int cli_failure(const struct usage *usage, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    complain(usage, format, args);
    va_end(args);
    return EXIT_FAILED;
}

const struct option *options_find(const struct option *options, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(options[i].name, name) == 0)
            return &options[i];
    }
    assert(!"an option of the table");
    return NULL;
}

static bool is_called(const char *known, const char *name, size_t length)
{
    return known && strlen(known) == length && memcmp(known, name, length) == 0;
}

/* The option called by the first `length` letters of name. */
static struct option *match(const struct parser *p, const char *name, size_t length)
{
    for (size_t i = 0; i < p->n; i++) {
        struct option *o = &p->options[i];

        if (option_has_dashes(o) && (is_called(o->name, name, length) || is_called(o->alias, name, length)))
            return o;
    }
    return NULL;
}

/* The option with this short name. If the word goes on behind a single letter, *value is the rest of it. */
static struct option *match_brief(const struct parser *p, const char *name, const char **value)
{
    struct option *joined = NULL;

    for (size_t i = 0; i < p->n; i++) {
        for (size_t b = 0; b < COUNT_OF(p->options[i].brief); b++) {
            const char *brief = p->options[i].brief[b];

            if (brief && strcmp(brief, name) == 0)
                return &p->options[i];
            if (brief && brief[0] == name[0] && !brief[1])
                joined = &p->options[i];
        }
    }
    *value = joined ? name + 1 : NULL;
    return joined;
}

/* word is what was typed, from its dashes on. */
static int unknown(const struct parser *p, const char *word)
{
    char typed[32];
    struct suggestion s = {.word = typed + (word[1] == '-' ? 2 : 1)};

    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);
    for (size_t i = 0; i < p->n; i++) {
        if (option_has_dashes(&p->options[i]))
            suggestion_offer(&s, p->options[i].name);
    }
    if (s.best)
        return cli_usage_error(p->usage, "unknown option %s, did you mean --%s?", typed, s.best);
    return cli_usage_error(p->usage, "unknown option %s; `%s --help` lists them", typed, p->usage->command);
}

/* argv[*at] starts with a dash; advances *at if the value is an argument of its own. */
static int take_option(const struct parser *p, int argc, char **argv, int *at)
{
    const char *word = argv[*at], *value = NULL;
    size_t length = strcspn(word, "=");
    struct option *o = word[1] == '-' ? match(p, word + 2, length - 2) : match_brief(p, word + 1, &value);

    if (!o)
        return unknown(p, word);
    if (word[1] == '-' && word[length] == '=')
        value = word + length + 1;
    if (o->given && o->kind != OPTION_TEXTS)
        return cli_usage_error(p->usage, "--%s: given twice", o->name);
    o->given = true;
    if (o->kind == OPTION_FLAG) {
        if (value)
            return option_refuse(p->usage, o, value, "takes no value");
        *o->to.flag = true;
        return -1;
    }
    if (!value && *at + 1 < argc)
        value = argv[++*at];
    if (!value)
        return cli_usage_error(p->usage, "--%s: needs a value", o->name);
    return option_set(p->usage, o, value);
}

static int take_operand(const struct parser *p, const char *value)
{
    for (size_t i = 0; i < p->n; i++) {
        struct option *o = &p->options[i];

        if (o->kind != OPTION_OPERANDS)
            continue;
        if ((int64_t)o->to.texts->n == o->max)
            break;
        if (*value == '\0')
            return cli_usage_error(p->usage, "%s '': must not be empty", o->name);
        o->given = true;
        return option_collect(p->usage, o, value);
    }
    return cli_usage_error(p->usage, "%.80s: unexpected; %s", *value ? value : "''",
                           p->usage->stray ? p->usage->stray : "options start with --");
}

/* Before the command line is parsed. A default is a value like any other, so the first test finds a wrong one in the
 * table. */
static int set_fallbacks(const struct parser *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->options[i].fallback && option_set(p->usage, &p->options[i], p->options[i].fallback) >= 0)
            return EXIT_USAGE;
    }
    return -1;
}

static bool has_program(const struct parser *p)
{
    bool has = false;

    for (size_t i = 0; i < p->n; i++)
        has |= p->options[i].kind == OPTION_PROGRAM && *p->options[i].to.program;
    return has;
}

static int check_missing(const struct parser *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct option *o = &p->options[i];

        if (o->kind == OPTION_OPERANDS && (int64_t)o->to.texts->n < o->min)
            return cli_usage_error(p->usage, "%s is missing; `%s --help` explains it", o->name, p->usage->command);
        if (o->required && !o->given)
            return cli_usage_error(p->usage, "--%s is missing; `%s --help` explains it%s", o->name, p->usage->command,
                                   has_program(p) ? "; options come before the program" : "");
    }
    return -1;
}

/* "-" alone is a file name to many programs, and "--" ends the options. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && strcmp(word, "--") != 0;
}

/* If the command takes a program: do the program and its arguments begin at `word`? */
static bool begins_program(const struct parser *p, char **word)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->options[i].kind == OPTION_PROGRAM && !is_option(*word)) {
            *p->options[i].to.program = strcmp(*word, "--") == 0 ? word + 1 : word;
            return true;
        }
    }
    return false;
}

static options_visitor *visitor;
static void *visitor_context;

void options_visit(options_visitor *new_visitor, void *context)
{
    visitor = new_visitor;
    visitor_context = context;
}

int options_parse(const struct usage *usage, struct option *options, size_t n, int argc, char **argv)
{
    struct parser p = {usage, options, n};
    int status = set_fallbacks(&p);

    if (visitor) {
        visitor(visitor_context, usage, options, n);
        return EXIT_OK;
    }
    for (int i = 1; i < argc && status < 0 && !begins_program(&p, &argv[i]); i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            options_help(usage, options, n);
            return EXIT_OK;
        }
        status = is_option(argv[i]) ? take_option(&p, argc, argv, &i) : take_operand(&p, argv[i]);
    }
    return status >= 0 ? status : check_missing(&p);
}
