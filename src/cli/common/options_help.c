/* options_help.c: the help of a command, from the same table: usage, options with limits and defaults, examples. */
#include "cli/common/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LABEL = 160, COLUMN_MAX = 28, WIDTH = 80 }; /* a terminal of the usual width */

static void words_of(const struct option *o, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; o->words[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "|" : "", o->words[i]);
}

/* "--nodes N", "--json", "FILE..." */
static const char *label_of(const struct option *o, char text[LABEL])
{
    char words[LABEL - 40];

    switch (o->kind) {
    case OPTION_OPERANDS:
        snprintf(text, LABEL, "%s%s", o->name, o->max > 1 ? "..." : "");
        break;
    case OPTION_PROGRAM:
        snprintf(text, LABEL, "%s", o->name);
        break;
    case OPTION_FLAG:
        snprintf(text, LABEL, "--%s", o->name);
        break;
    case OPTION_WORD:
        words_of(o, words, sizeof words);
        snprintf(text, LABEL, "--%s %s", o->name, words);
        break;
    default:
        snprintf(text, LABEL, "--%s %s", o->name, o->arg);
    }
    return text;
}

static bool must_be_given(const struct option *o)
{
    return o->required || (o->kind == OPTION_OPERANDS && o->min > 0);
}

static void print_usage(const struct usage *usage, const struct option *options, size_t n)
{
    char label[LABEL];

    printf("Usage: %s", usage->command);
    for (size_t i = 0; i < n; i++) {
        if (must_be_given(&options[i]))
            printf(" %s", label_of(&options[i], label));
    }
    printf(" [options]%s%s\n", usage->operands ? " " : "", usage->operands ? usage->operands : "");
}

/* The limits of an option, if they are tighter than those of its type. */
static void limits_of(const struct option *o, char *text, size_t size)
{
    char low[DURATION_TEXT], high[DURATION_TEXT];

    text[0] = '\0';
    if (o->kind == OPTION_INTEGER && o->max != INT64_MAX)
        snprintf(text, size, "%" PRId64 " to %" PRId64, o->min, o->max);
    else if (o->kind == OPTION_REAL)
        snprintf(text, size, "%g to %g", o->real_min, o->real_max);
    else if (o->kind == OPTION_DURATION && (o->min > 1 || o->max < DURATION_MAX_NS))
        snprintf(text, size, "%s to %s", format_duration(o->min, low), format_duration(o->max, high));
}

/* Prints words wrapped to WIDTH; the cursor is at column `indent`, further lines start there. */
static void print_wrapped(const char *text, size_t length, size_t indent)
{
    const char *end = text + length;
    size_t column = indent;

    while (text < end) {
        const char *blank = memchr(text, ' ', (size_t)(end - text));
        size_t word = (size_t)((blank ? blank : end) - text);

        if (column > indent && column + 1 + word > WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)word, text);
        column += word;
        text += word + (blank != NULL);
    }
    putchar('\n');
}

/* The column at which the text of a line begins: after a label, which two or more blanks set off, or after the
 * indentation. */
static size_t text_column(const char *line, size_t length)
{
    size_t start = 0, at;

    while (start < length && line[start] == ' ')
        start++;
    for (at = start; at + 1 < length; at++) {
        if (line[at] == ' ' && line[at + 1] == ' ')
            break;
    }
    if (at + 1 >= length)
        return start;
    while (at < length && line[at] == ' ')
        at++;
    return at;
}

/* The lines of the notes, a long one wrapped beside its label. */
static void print_notes(const char *notes)
{
    while (*notes) {
        size_t length = strcspn(notes, "\n");
        size_t column = text_column(notes, length);

        printf("%.*s", (int)column, notes);
        print_wrapped(notes + column, length - column, column);
        notes += length + (notes[length] == '\n');
    }
}

static void print_option(const struct option *o, size_t column)
{
    char label[LABEL], limits[80], text[512];
    const char *fallback = o->fallback_help ? o->fallback_help : o->fallback;

    limits_of(o, limits, sizeof limits);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", o->help, *limits || fallback ? " (" : "", limits,
             *limits && fallback ? "; " : "", fallback ? "default " : "", fallback ? fallback : "",
             *limits || fallback ? ")" : "");
    printf("  %-*s", (int)column, label_of(o, label));
    if (strlen(label) > column)
        printf("\n  %*s", (int)column, "");
    printf("  ");
    print_wrapped(text, strlen(text), column + 4);
}

void options_help(const struct usage *usage, const struct option *options, size_t n)
{
    size_t column = strlen("--help");
    char label[LABEL];

    for (size_t i = 0; i < n; i++) {
        size_t width = strlen(label_of(&options[i], label));

        if (width > column && width <= COLUMN_MAX)
            column = width;
    }
    print_usage(usage, options, n);
    putchar('\n');
    print_wrapped(usage->summary, strlen(usage->summary), 0);
    puts("\nOptions:");
    for (size_t i = 0; i < n; i++)
        print_option(&options[i], column);
    printf("  %-*s  this text\n", (int)column, "--help");
    if (usage->notes) {
        putchar('\n');
        print_notes(usage->notes);
    }
    printf("\nExamples:\n%s", usage->examples);
}
