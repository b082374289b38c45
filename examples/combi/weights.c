/* weights: what the manager makes of the grids that it has, when some are lost. */
#include "manager.h"

#include "pde.h"
#include "picture.h"

#include <stdio.h>
#include <string.h>

enum { TRIES_MOST = 3 };
static const double error_most = 2; /* weights are no choice if they make the error larger than that many times */

struct choices {
    int classic[GRIDS_MOST]; /* the weights if nothing were lost */
    bool lost[GRIDS_MOST];
    int missed, hopeless; /* lost grids that have a classic weight; those of them that were lost again and again */
    double again, more;   /* the cost of solving them again; of the small grids that other weights want instead */
    bool possible;
};

static void look(struct manager *m, struct choices *c)
{
    const struct scheme *s = &m->j->scheme;
    *c = (struct choices){0};
    memset(m->downset, true, sizeof m->downset);
    weights_of(s, m->downset, c->classic);
    for (int grid = 0; grid < s->count; grid++)
        c->lost[grid] = m->status[grid] == LOST;
    c->possible = weights_without(s, c->lost, m->downset, m->weight);
    for (int grid = 0; grid < s->count; grid++) {
        double cost = pde_cost(s->dim, s->level[grid], job_span(m->j));
        if (c->lost[grid] && c->classic[grid] != 0)
            c->missed++, c->again += cost, c->hopeless += m->tries[grid] >= TRIES_MOST;
        if (m->weight[grid] != 0 && m->status[grid] == NOT_WANTED)
            c->more += cost;
    }
}

static bool by_weights(const struct manager *m, const struct choices *c)
{
    if (c->missed == 0 || c->hopeless > 0 || m->j->option.recover == RECOVER_WEIGHTS)
        return true;
    return m->j->option.recover == RECOVER_CHEAPER && c->possible && c->more < c->again &&
           weights_error(&m->j->scheme, m->downset) <= error_most;
}

/* Which of the grids are wanted after all: those lost, or those that the weights ask for. */
static int want(struct manager *m, const struct choices *c, bool lost)
{
    int count = 0;
    for (int grid = 0; grid < m->j->scheme.count; grid++)
        if (lost ? c->lost[grid] && scheme_layer(&m->j->scheme, grid) <= m->j->scheme.dim
                 : m->weight[grid] != 0 && m->status[grid] == NOT_WANTED) {
            m->status[grid] = WANTED;
            count++;
        }
    return count;
}

static void print_weights(const struct scheme *s, const char *title, const int *weight)
{
    printf("  %s", title);
    for (int grid = s->count - 1; grid >= 0; grid--)
        if (weight[grid] != 0)
            printf(" %+d%s", weight[grid], level_text(s, grid));
    printf("\n");
}

static void tell_lost(const struct manager *m, const struct choices *c, const char *what)
{
    const struct scheme *s = &m->j->scheme;
    printf("round %d: lost", job_round(m->j) + 1);
    for (int grid = 0; grid < s->count; grid++)
        if (c->lost[grid])
            printf(" %s", level_text(s, grid));
    printf("; %s\n", what);
}

enum choice choose_weights(struct manager *m)
{
    struct choices c;
    const struct job *j = m->j;
    look(m, &c);
    if (!by_weights(m, &c)) {
        tell_lost(m, &c, "these are solved again");
        m->j->state[STATE_AGAIN] += want(m, &c, true);
        return CHOICE_WANTS_MORE;
    }
    if (!c.possible)
        return CHOICE_NONE_LEFT;
    if (want(m, &c, false) > 0)
        return CHOICE_WANTS_MORE;
    if (c.missed > 0) {
        tell_lost(m, &c, "the others get new weights");
        print_weights(&j->scheme, "before:", c.classic);
        print_weights(&j->scheme, "after: ", m->weight);
        m->j->state[STATE_LEFT_OUT] += c.missed;
    }
    if (j->option.picture && (c.missed > 0 || job_round(j) == 0))
        picture_scheme(j, c.classic, m->weight, c.lost);
    return CHOICE_MADE;
}
