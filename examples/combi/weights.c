/* weights: what the manager makes of the grids that it has, when some are lost. */
#include "manager.h"

enum { TRIES_MOST = 3 };
static const double error_most = 2; /* weights are no choice if they make the error larger than that many times */

struct choices {
    int classic[GRIDS_MOST]; /* the weights if nothing were lost */
    bool lost[GRIDS_MOST], possible;
    int missed, hopeless; /* lost grids that have a classic weight; those of them that were lost again and again */
    double again, more;   /* the cost of solving them again; of the small grids that other weights want instead */
};

static void look(struct manager *m, struct choices *c)
{
    const struct scheme *s = &m->j->scheme;
    *c = (struct choices){0};
    job_classic(m->j, c->classic);
    for (int grid = 0; grid < s->count; grid++)
        c->lost[grid] = m->status[grid] == LOST;
    memset(m->downset, true, sizeof m->downset);
    c->possible = weights_without(s, c->lost, m->downset, m->weight);
    for (int grid = 0; grid < s->count; grid++) {
        if (c->lost[grid] && c->classic[grid] != 0)
            c->missed++, c->again += m->j->cost[grid], c->hopeless += m->tries[grid] >= TRIES_MOST;
        if (m->weight[grid] != 0 && m->status[grid] == NOT_WANTED)
            c->more += m->j->cost[grid];
    }
}

static bool by_weights(const struct manager *m, const struct choices *c)
{
    if (c->missed == 0 || c->hopeless > 0 || m->j->option.recover == RECOVER_WEIGHTS)
        return true;
    return m->j->option.recover == RECOVER_CHEAPER && c->possible && c->more < c->again &&
           weights_error(&m->j->scheme, m->downset) <= error_most;
}

/* What is wanted after all: the lost grids, or those that the new weights ask for. */
static int want(struct manager *m, const struct choices *c, bool lost)
{
    int count = 0;
    for (int grid = 0; grid < m->j->scheme.count; grid++)
        if (lost ? c->lost[grid] && m->j->scheme.layer[grid] <= m->j->scheme.dim
                 : m->weight[grid] != 0 && m->status[grid] == NOT_WANTED)
            m->status[grid] = WANTED, count++;
    return count;
}

/* A line of grids: those with a weight, or those that are lost. */
static void print_grids(const struct scheme *s, const char *title, const int *weight, const bool *lost, const char *end)
{
    printf("%s", title);
    for (int grid = s->count - 1; grid >= 0; grid--)
        if (weight ? weight[grid] != 0 : lost[grid])
            printf(weight ? " %+d%s" : " %.0d%s", weight ? weight[grid] : 0, level_text(s, grid)); /* %.0d: no 0 */
    printf("%s\n", end);
}

enum choice choose_weights(struct manager *m)
{
    struct choices c;
    struct job *j = m->j;
    look(m, &c);
    if (!by_weights(m, &c)) {
        print_grids(&j->scheme, "lost:", NULL, c.lost, "; these are solved again");
        j->state[STATE_AGAIN] += want(m, &c, true);
        return CHOICE_WANTS_MORE;
    }
    if (!c.possible)
        return CHOICE_NONE_LEFT;
    if (want(m, &c, false) > 0)
        return CHOICE_WANTS_MORE;
    if (c.missed > 0) {
        print_grids(&j->scheme, "lost:", NULL, c.lost, "; the others get new weights");
        print_grids(&j->scheme, "  before:", c.classic, NULL, "");
        print_grids(&j->scheme, "  after: ", m->weight, NULL, "");
        j->state[STATE_LEFT_OUT] += c.missed;
    }
    if (j->option.picture && (c.missed > 0 || job_round(j) == 0))
        picture_scheme(j, c.classic, m->weight, c.lost);
    return CHOICE_MADE;
}
