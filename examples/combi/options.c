#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: combi [--dim 2] [--min 3,3] [--max 8,8] [--groups 4] [--rounds 4] [--recover cheaper|weights|recompute]\n"
    "             [--hurt remove|shrink] [--notice watch|report] [--compare] [--picture PREFIX]";

/* A list of `dim` numbers between 1 and 16. */
static bool numbers(const char *text, int dim, int *list)
{
    for (int k = 0; k < dim; k++) {
        char *end;
        long number = strtol(text, &end, 10);
        if (end == text || *end != (k + 1 < dim ? ',' : '\0') || number < 1 || number > 16)
            return false;
        list[k] = (int)number;
        text = end + 1;
    }
    return true;
}

static bool number(const char *text, int least, int most, int *value)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end != '\0' || n < least || n > most)
        return false;
    *value = (int)n;
    return true;
}

/* One of the words, by its number in the list. */
static bool word(const char *text, const char *const *words, int *value)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(text, words[i]) == 0) {
            *value = i;
            return true;
        }
    return false;
}

static bool take(struct options *o, const char *name, const char *value)
{
    static const char *const recover[] = {"cheaper", "weights", "recompute", NULL};
    static const char *const hurt[] = {"remove", "shrink", NULL}, *const notice[] = {"watch", "report", NULL};
    int which = 0;
    bool good = true;
    if (strcmp(name, "--min") == 0)
        return numbers(value, o->dim, o->min);
    if (strcmp(name, "--max") == 0)
        return numbers(value, o->dim, o->max);
    if (strcmp(name, "--groups") == 0)
        return number(value, 1, 64, &o->groups);
    if (strcmp(name, "--rounds") == 0)
        return number(value, 1, 1000, &o->rounds);
    if (strcmp(name, "--picture") == 0)
        o->picture = value;
    else if (strcmp(name, "--recover") == 0)
        good = word(value, recover, &which), o->recover = (enum recover)which;
    else if (strcmp(name, "--hurt") == 0)
        good = word(value, hurt, &which), o->hurt = (enum hurt)which;
    else if (strcmp(name, "--notice") == 0)
        good = word(value, notice, &which), o->notice = (enum notice)which;
    else
        good = strcmp(name, "--dim") == 0; /* read before all others */
    return good;
}

static bool fits(const struct options *o, int ranks, char *message, int size)
{
    int tau = o->max[0] - o->min[0], smallest = o->min[0], largest = (ranks - 1 + o->groups - 1) / o->groups;
    for (int k = 0; k < o->dim; k++) {
        smallest = o->min[k] < smallest ? o->min[k] : smallest;
        if (o->max[k] - o->min[k] != tau || tau < 0) {
            snprintf(message, (size_t)size, "combi: --max must be above --min by the same number along each axis");
            return false;
        }
    }
    if (ranks - 1 < o->groups)
        snprintf(message, (size_t)size, "combi: %d groups and a manager need at least %d ranks", o->groups,
                 o->groups + 1);
    else if (largest > 1 << smallest)
        snprintf(message, (size_t)size, "combi: a group of %d ranks cannot divide the %d rows of the smallest grid",
                 largest, 1 << smallest);
    else
        return true;
    return false;
}

bool options_parse(struct options *o, int argc, char **argv, int ranks, char *message, int size)
{
    *o = (struct options){.dim = 2, .min = {3, 3, 2}, .max = {8, 8, 5}, .groups = 4, .rounds = 4, .end = 1};
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--dim") == 0 && !number(argv[i + 1], 2, DIM_MOST, &o->dim)) {
            snprintf(message, (size_t)size, "combi: --dim is 2 or 3, not '%s'", argv[i + 1]);
            return false;
        }
    if (o->dim == 3)
        for (int k = 0; k < 3; k++)
            o->min[k] = 2, o->max[k] = 5;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--compare") == 0)
            o->compare = true;
        else if (i + 1 == argc || !take(o, argv[i], argv[i + 1])) {
            snprintf(message, (size_t)size, "combi: cannot understand '%s%s%s'\n%s", argv[i], i + 1 < argc ? " " : "",
                     i + 1 < argc ? argv[i + 1] : "", usage);
            return false;
        } else
            i++;
    }
    return fits(o, ranks, message, size);
}
