/* options: the command line. */
#include "job.h"

static const char usage[] =
    "usage: combi [--dim 2] [--min 3,3] [--max 8,8] [--groups 4] [--rounds 4] [--recover cheaper|weights|recompute]\n"
    "             [--hurt remove|shrink] [--notice watch|report] [--compare] [--picture PREFIX]";

struct known {
    const char *name;
    int *value, count, most; /* so many numbers from 1 to `most`, with commas between them */
    const char *words[3];    /* or one of these: the value is its number */
};

static bool take(const struct known *k, const char *text)
{
    for (int i = 0; i < 3; i++)
        if (k->words[i] && strcmp(text, k->words[i]) == 0)
            return *k->value = i, true;
    char *end;
    for (int i = 0; i < k->count; i++, text = end + 1) {
        long number = strtol(text, &end, 10);
        if (end == text || *end != (i + 1 < k->count ? ',' : '\0') || number < 1 || number > k->most)
            return false;
        k->value[i] = (int)number;
    }
    return k->count > 0;
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
    *o = (struct options){.dim = 2, .min = {3, 3, 3}, .max = {8, 8, 8}, .groups = 4, .rounds = 4};
    for (int i = 1; i < argc; i++) {
        const struct known known[] = {{"--dim", &o->dim, 1, DIM_MOST, {0}},
                                      {"--min", o->min, o->dim, 16, {0}},
                                      {"--max", o->max, o->dim, 16, {0}},
                                      {"--groups", &o->groups, 1, GROUPS_MOST, {0}},
                                      {"--rounds", &o->rounds, 1, 1000, {0}},
                                      {"--recover", &o->recover, 0, 0, {"cheaper", "weights", "recompute"}},
                                      {"--hurt", &o->hurt, 0, 0, {"remove", "shrink"}},
                                      {"--notice", &o->notice, 0, 0, {"watch", "report"}}};
        const struct known *k = known, *end = known + sizeof known / sizeof *known;
        while (k < end && strcmp(k->name, argv[i]) != 0)
            k++;
        if (strcmp(argv[i], "--compare") == 0)
            o->compare = true;
        else if (i + 1 < argc && strcmp(argv[i], "--picture") == 0)
            o->picture = argv[++i];
        else if (k == end || i + 1 == argc || !take(k, argv[++i]) || o->dim == 1)
            return usage;
    }
    return fits(o, ranks);
}
