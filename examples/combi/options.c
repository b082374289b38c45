/* options: the command line. */
#include "job.h"

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

struct known {
    const char *name;
    int count, most, *value;
    const char *words[4]; /* the value is the number of one of them, if there are any */
};

static bool take(const struct known *k, const char *text)
{
    if (!k->words[0])
        return numbers(text, k->count, k->most, k->value);
    for (int i = 0; k->words[i]; i++)
        if (strcmp(text, k->words[i]) == 0) {
            *k->value = i;
            return true;
        }
    return false;
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
    *o = (struct options){.dim = 2, .min = {3, 3, 3}, .max = {8, 8, 8}, .groups = 4, .rounds = 4, .end = 1};
    for (int i = 1; i < argc; i++) {
        const struct known known[] = {{"--dim", 1, DIM_MOST, &o->dim, {0}},
                                      {"--min", o->dim, 16, o->min, {0}},
                                      {"--max", o->dim, 16, o->max, {0}},
                                      {"--groups", 1, GROUPS_MOST, &o->groups, {0}},
                                      {"--rounds", 1, 1000, &o->rounds, {0}},
                                      {"--recover", 1, 0, &o->recover, {"cheaper", "weights", "recompute"}},
                                      {"--hurt", 1, 0, &o->hurt, {"remove", "shrink"}},
                                      {"--notice", 1, 0, &o->notice, {"watch", "report"}},
                                      {"--compare", 0, 0, &o->compare, {0}},
                                      {"--picture", 1, 0, NULL, {0}}};
        const struct known *k = known, *end = known + sizeof known / sizeof *known;
        while (k < end && strcmp(k->name, argv[i]) != 0)
            k++;
        if (k == end || (k->count > 0 && i + 1 == argc))
            return usage;
        if (k->count == 0)
            *k->value = true;
        else if (!k->value)
            o->picture = argv[++i];
        else if (!take(k, argv[++i]) || o->dim == 1)
            return usage;
    }
    return fits(o, ranks);
}
