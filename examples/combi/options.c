/* options: the command line. */
#include "job.h"

#include <getopt.h>

static const char usage[] =
    "usage: combi [--dim 2] [--min 3,3] [--max 8,8] [--groups 4] [--rounds 4] [--recover cheaper|weights|recompute]\n"
    "             [--hurt remove|shrink] [--notice watch|report] [--compare] [--picture PREFIX]";

/* Numbers from 1 to `most`, with commas between them: exactly `count`. */
static bool numbers(const char *text, int count, int most, int *list)
{
    char *end;
    for (int k = 0; k < count; k++, text = end + 1) {
        long number = strtol(text, &end, 10);
        if (end == text || *end != (k + 1 < count ? ',' : '\0') || number < 1 || number > most)
            return false;
        list[k] = (int)number;
    }
    return true;
}

static bool word(const char *text, const char *const *words, int *value)
{
    for (*value = 0; words[*value]; ++*value)
        if (strcmp(text, words[*value]) == 0)
            return true;
    return false;
}

static bool take(struct options *o, int letter, const char *text)
{
    static const char *const recover[] = {"cheaper", "weights", "recompute", NULL};
    static const char *const hurt[] = {"remove", "shrink", NULL}, *const notice[] = {"watch", "report", NULL};
    switch (letter) {
    case 'd':
        return numbers(text, 1, DIM_MOST, &o->dim) && o->dim > 1;
    case 'l':
        return numbers(text, o->dim, 16, o->min);
    case 'u':
        return numbers(text, o->dim, 16, o->max);
    case 'g':
        return numbers(text, 1, 64, &o->groups);
    case 'r':
        return numbers(text, 1, 1000, &o->rounds);
    case 'R':
        return word(text, recover, &o->recover);
    case 'h':
        return word(text, hurt, &o->hurt);
    case 'n':
        return word(text, notice, &o->notice);
    case 'c':
        return o->compare = true;
    case 'p':
        return (o->picture = text) != NULL;
    default:
        return false;
    }
}

/* The scheme needs a cube of levels; a group needs a row of the smallest grid for each of its ranks. */
static const char *fits(const struct options *o, int ranks)
{
    int largest = (ranks - 1 + o->groups - 1) / o->groups;
    for (int k = 0; k < o->dim; k++)
        if (o->max[k] - o->min[k] != o->max[0] - o->min[0] || o->max[k] < o->min[k])
            return "--max must be above --min by the same number along each axis";
        else if (largest > 1 << o->min[k])
            return "a group has more ranks than the smallest grid has rows";
    return ranks <= o->groups ? "there must be more ranks than groups: one is the manager" : NULL;
}

const char *options_parse(struct options *o, int argc, char **argv, int ranks)
{
    static const struct option names[] = {{"dim", 1, 0, 'd'},     {"min", 1, 0, 'l'},    {"max", 1, 0, 'u'},
                                          {"groups", 1, 0, 'g'},  {"rounds", 1, 0, 'r'}, {"recover", 1, 0, 'R'},
                                          {"hurt", 1, 0, 'h'},    {"notice", 1, 0, 'n'}, {"compare", 0, 0, 'c'},
                                          {"picture", 1, 0, 'p'}, {0, 0, 0, 0}};
    *o = (struct options){.dim = 2, .min = {3, 3, 3}, .max = {8, 8, 8}, .groups = 4, .rounds = 4, .end = 1};
    opterr = 0;
    for (int letter; (letter = getopt_long(argc, argv, "", names, NULL)) != -1;)
        if (!take(o, letter, optarg))
            return usage;
    return optind < argc ? usage : fits(o, ranks);
}
