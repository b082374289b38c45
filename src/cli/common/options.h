/* options.h: the options of a command as a table, which parses the command line, reports errors in one line and prints
 * the help.
 *
 *     struct option options[] = {
 *         OPT_INTEGER("nodes", "N", &o.nodes, 2, INT32_MAX, "number of nodes", .required = true),
 *         OPT_DURATION("eta", "T", &o.eta_ns, 1, DURATION_MAX_NS, "heartbeat period", .fallback = "100ms"),
 *         OPT_FLAG("json", &o.json, "write JSON"),
 *     };
 *     int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
 *     if (status >= 0)
 *         return status;
 *
 * The parser accepts `--opt value` and `--opt=value`, and `-o value` and `-ovalue` where the table has a short form. An
 * option may be given once, unless its kind collects values. Values point into argv. */
#ifndef KNELL_CLI_COMMON_OPTIONS_H
#define KNELL_CLI_COMMON_OPTIONS_H

#include "cli/common/command.h"
#include "cli/common/parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct usage {
    const char *command;  /* "knell sim ring": the start of every error message */
    const char *summary;  /* one or two sentences */
    const char *notes;    /* lines, printed after the options, wrapped; NULL: none. Two blanks set off a label. */
    const char *examples; /* lines of at most 80, each indented by two and ended by a newline */
    const char *operands; /* what follows the options in the usage; NULL: nothing */
    const char *stray;    /* advice about a word that is no option; NULL: "options start with --" */
};

/* The values of an option that collects them, in the order given. */
enum { TEXTS_MAX = 64 };
struct texts {
    size_t n;
    const char *items[TEXTS_MAX];
};

enum option_kind {
    OPTION_FLAG,
    OPTION_INTEGER,
    OPTION_REAL,
    OPTION_DURATION, /* int64 nanoseconds */
    OPTION_SECONDS,  /* double seconds */
    OPTION_WORD,     /* one out of a list; the index is stored */
    OPTION_TEXT,     /* any non-empty text: a file name, or a form that the command parses itself */
    OPTION_TEXTS,    /* the same; may be given several times */
    OPTION_OPERANDS, /* words without an option, from n_min to n_max of them */
    OPTION_PROGRAM,  /* the first word without dashes, or the word after "--", and everything after it */
};

struct option {
    const char *name;     /* without the dashes */
    const char *alias;    /* an older name; accepted, and not shown in the help */
    const char *brief[2]; /* with one dash: "n", "np" */
    enum option_kind kind;
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
        struct texts *texts;
        char ***program; /* its arguments, which end with NULL */
    } to;
    int64_t min, max;          /* integer, duration (ns), number of operands */
    double real_min, real_max; /* real, seconds */
    const char *const *words;  /* ends with NULL */
};

#define OPT_FLAG(n, variable, h)                                       \
    {                                                                  \
        .name = n, .kind = OPTION_FLAG, .to.flag = variable, .help = h \
    }
#define OPT_INTEGER(n, a, variable, low, high, h, ...)                                                           \
    {                                                                                                            \
        .name = n, .kind = OPTION_INTEGER, .arg = a, .to.integer = variable, .min = low, .max = high, .help = h, \
        __VA_ARGS__                                                                                              \
    }
#define OPT_REAL(n, a, variable, low, high, h, ...)                                                                  \
    {                                                                                                                \
        .name = n, .kind = OPTION_REAL, .arg = a, .to.real = variable, .real_min = low, .real_max = high, .help = h, \
        __VA_ARGS__                                                                                                  \
    }
#define OPT_DURATION(n, a, variable, low, high, h, ...)                                                           \
    {                                                                                                             \
        .name = n, .kind = OPTION_DURATION, .arg = a, .to.integer = variable, .min = low, .max = high, .help = h, \
        __VA_ARGS__                                                                                               \
    }
#define OPT_SECONDS(n, a, variable, low, high, h, ...)                                                       \
    {                                                                                                        \
        .name = n, .kind = OPTION_SECONDS, .arg = a, .to.real = variable, .real_min = low, .real_max = high, \
        .help = h, __VA_ARGS__                                                                               \
    }
#define OPT_WORD(n, variable, list, h, ...)                                                        \
    {                                                                                              \
        .name = n, .kind = OPTION_WORD, .to.word = variable, .words = list, .help = h, __VA_ARGS__ \
    }
#define OPT_TEXT(n, a, variable, h, ...)                                                      \
    {                                                                                         \
        .name = n, .kind = OPTION_TEXT, .arg = a, .to.text = variable, .help = h, __VA_ARGS__ \
    }
#define OPT_TEXTS(n, a, variable, h, ...)                                                       \
    {                                                                                           \
        .name = n, .kind = OPTION_TEXTS, .arg = a, .to.texts = variable, .help = h, __VA_ARGS__ \
    }
/* name is how the help and the error messages call an operand: "FILE". */
#define OPT_OPERANDS(n, variable, n_min, n_max, h)                                                      \
    {                                                                                                   \
        .name = n, .kind = OPTION_OPERANDS, .to.texts = variable, .min = n_min, .max = n_max, .help = h \
    }

#define OPT_PROGRAM(n, variable, h)                                          \
    {                                                                        \
        .name = n, .kind = OPTION_PROGRAM, .to.program = variable, .help = h \
    }

/* Is it written with dashes? */
static inline bool option_has_dashes(const struct option *o)
{
    return o->kind != OPTION_OPERANDS && o->kind != OPTION_PROGRAM;
}

/* -1: parsed, go on. Otherwise the exit status: 0 after --help, 2 after a complaint. */
int options_parse(const struct usage *usage, struct option *options, size_t n, int argc, char **argv);

/* "COMMAND: message" on standard error, always one line whatever the arguments contain; returns EXIT_USAGE. */
int cli_usage_error(const struct usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a failure that is not the user's mistake; returns EXIT_FAILED. */
int cli_failure(const struct usage *usage, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The option of that name, to ask whether it was given; it must be in the table. */
const struct option *options_find(const struct option *options, size_t n, const char *name);

/* For `knell completion`, which needs the tables of all commands: while a visitor is set, options_parse passes its
 * table to the visitor and returns 0, without parsing. NULL: no visitor. */
typedef void options_visitor(void *context, const struct usage *usage, const struct option *options, size_t n);
void options_visit(options_visitor *visitor, void *context);

/* Prints the help to standard output; the parser does it for --help. */
void options_help(const struct usage *usage, const struct option *options, size_t n);

#endif
