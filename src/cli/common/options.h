/* Options of a subcommand as a table: it parses the command line, says what is wrong in one line, and prints the
 * help.
 *
 *     struct knell_option options[] = {
 *         KNELL_OPT_INTEGER("nodes", "N", &o.nodes, 2, INT32_MAX, "number of nodes", .required = true),
 *         KNELL_OPT_DURATION("eta", "T", &o.eta_ns, 1, KNELL_DURATION_MAX_NS, "heartbeat period", .fallback = "100ms"),
 *         KNELL_OPT_FLAG("json", &o.json, "write JSON"),
 *     };
 *     int status = knell_options_parse(&usage, options, KNELL_COUNT(options), argc, argv);
 *     if (status >= 0)
 *         return status;
 *
 * Both `--opt value` and `--opt=value`; where the table has one, `-o value` and `-ovalue`. An option is given at most once,
 * unless its kind collects. Values point into argv. */
#ifndef KNELL_CLI_COMMON_OPTIONS_H
#define KNELL_CLI_COMMON_OPTIONS_H

#include "cli/common/command.h"
#include "cli/common/parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KNELL_COUNT(array) (sizeof(array) / sizeof *(array))

struct knell_usage {
    const char *command;  /* "knell sim ring": opens every complaint */
    const char *summary;  /* one or two sentences */
    const char *notes;    /* lines, printed after the options, wrapped; NULL: none. Two blanks set off a label. */
    const char *examples; /* lines of at most 80, each indented by two and ended by a newline */
    const char *operands; /* what follows the options in the usage; NULL: nothing */
    const char *stray;    /* what to do about a word that is no option; NULL: give it two dashes */
};

/* What a collecting option gathers, in the order given. */
enum { KNELL_TEXTS_MAX = 64 };
struct knell_texts {
    size_t n;
    const char *items[KNELL_TEXTS_MAX];
};

enum knell_option_kind {
    KNELL_OPTION_FLAG,
    KNELL_OPTION_INTEGER,
    KNELL_OPTION_REAL,
    KNELL_OPTION_DURATION, /* int64 nanoseconds */
    KNELL_OPTION_SECONDS,  /* double seconds */
    KNELL_OPTION_WORD,     /* one out of a list; the index is stored */
    KNELL_OPTION_TEXT,     /* anything but nothing: a file name, or a form the command parses itself */
    KNELL_OPTION_TEXTS,    /* the same, may be given again and again */
    KNELL_OPTION_OPERANDS, /* what is given without an option, from n_min to n_max of them */
    KNELL_OPTION_PROGRAM,  /* the first word without dashes, or what follows "--", and all after it: not ours to read */
};

struct knell_option {
    const char *name;     /* without the dashes */
    const char *alias;    /* what it was called before; taken, and not shown */
    const char *brief[2]; /* with one dash: "n", "np" */
    enum knell_option_kind kind;
    const char *arg; /* how the help writes the value */
    const char *help;
    const char *fallback;      /* the default, as a user would type it; NULL: the variable is left alone */
    const char *fallback_help; /* the default in words, where it is computed ("delta / 10") */
    bool required;
    bool given; /* set by the parser: typed by the user */
    union {
        bool *flag;
        int64_t *integer;
        double *real;
        int *word;
        const char **text;
        struct knell_texts *texts;
        char ***program; /* its arguments, which end with NULL */
    } to;
    int64_t min, max;          /* integer, duration (ns), number of operands */
    double real_min, real_max; /* real, seconds */
    const char *const *words;  /* ends with NULL */
};

#define KNELL_OPT_FLAG(n, variable, h)                                       \
    {                                                                        \
        .name = n, .kind = KNELL_OPTION_FLAG, .to.flag = variable, .help = h \
    }
#define KNELL_OPT_INTEGER(n, a, variable, low, high, h, ...)                                                           \
    {                                                                                                                  \
        .name = n, .kind = KNELL_OPTION_INTEGER, .arg = a, .to.integer = variable, .min = low, .max = high, .help = h, \
        __VA_ARGS__                                                                                                    \
    }
#define KNELL_OPT_REAL(n, a, variable, low, high, h, ...)                                                       \
    {                                                                                                           \
        .name = n, .kind = KNELL_OPTION_REAL, .arg = a, .to.real = variable, .real_min = low, .real_max = high, \
        .help = h, __VA_ARGS__                                                                                  \
    }
#define KNELL_OPT_DURATION(n, a, variable, low, high, h, ...)                                                \
    {                                                                                                        \
        .name = n, .kind = KNELL_OPTION_DURATION, .arg = a, .to.integer = variable, .min = low, .max = high, \
        .help = h, __VA_ARGS__                                                                               \
    }
#define KNELL_OPT_SECONDS(n, a, variable, low, high, h, ...)                                                       \
    {                                                                                                              \
        .name = n, .kind = KNELL_OPTION_SECONDS, .arg = a, .to.real = variable, .real_min = low, .real_max = high, \
        .help = h, __VA_ARGS__                                                                                     \
    }
#define KNELL_OPT_WORD(n, variable, list, h, ...)                                                        \
    {                                                                                                    \
        .name = n, .kind = KNELL_OPTION_WORD, .to.word = variable, .words = list, .help = h, __VA_ARGS__ \
    }
#define KNELL_OPT_TEXT(n, a, variable, h, ...)                                                      \
    {                                                                                               \
        .name = n, .kind = KNELL_OPTION_TEXT, .arg = a, .to.text = variable, .help = h, __VA_ARGS__ \
    }
#define KNELL_OPT_TEXTS(n, a, variable, h, ...)                                                       \
    {                                                                                                 \
        .name = n, .kind = KNELL_OPTION_TEXTS, .arg = a, .to.texts = variable, .help = h, __VA_ARGS__ \
    }
/* name is how the help and the complaints call an operand: "FILE". */
#define KNELL_OPT_OPERANDS(n, variable, n_min, n_max, h)                                                      \
    {                                                                                                         \
        .name = n, .kind = KNELL_OPTION_OPERANDS, .to.texts = variable, .min = n_min, .max = n_max, .help = h \
    }

#define KNELL_OPT_PROGRAM(n, variable, h)                                          \
    {                                                                              \
        .name = n, .kind = KNELL_OPTION_PROGRAM, .to.program = variable, .help = h \
    }

/* Whether it is written with dashes. */
static inline bool knell__option_has_dashes(const struct knell_option *o)
{
    return o->kind != KNELL_OPTION_OPERANDS && o->kind != KNELL_OPTION_PROGRAM;
}

/* -1: parsed, go on. Otherwise the exit status: 0 after --help, 2 after a complaint. */
int knell_options_parse(const struct knell_usage *usage, struct knell_option *options, size_t n, int argc, char **argv);

/* "COMMAND: message" on standard error, always one line whatever the arguments contain; returns KNELL_EXIT_USAGE. */
int knell__cli_fail(const struct knell_usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a reason that is not the user's: "COMMAND: message", returns KNELL_EXIT_FAILED. */
int knell__cli_broken(const struct knell_usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The option of that name, to ask whether it was given; it must be in the table. */
const struct knell_option *knell_options_find(const struct knell_option *options, size_t n, const char *name);

/* For who wants the tables of all commands (completion.c): while there is a visitor, a parser shows it its table, and does
 * nothing but return 0. NULL: none. */
typedef void knell__options_visitor(void *context, const struct knell_usage *usage, const struct knell_option *options,
                                    size_t n);
void knell__options_visit(knell__options_visitor *visitor, void *context);

/* Prints the help to standard output; the parser does it for --help. */
void knell__options_help(const struct knell_usage *usage, const struct knell_option *options, size_t n);

#endif
