/* weights: what the manager makes of the grids that it has, when some are lost. */
#include "manager.h"

enum { TRIES_MOST = 3 };            /* a grid that is lost so often in one round is not solved again */
static const double error_most = 2; /* weights are no choice if they make the error larger than that many times */

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
    struct job *j = m->j;
    const struct scheme *s = &j->scheme;
    bool lost[GRIDS_MOST] = {false}, hopeless = false;
    int missed = 0, wanted = 0; /* lost grids that have a classic weight; grids that are wanted after all */
    double again = 0,
           more = 0; /* the cost of solving them again; of the small grids that the new weights want instead */
    for (int grid = 0; grid < s->count; grid++) {
        lost[grid] = m->status[grid] == LOST;
        if (lost[grid] && j->classic[grid] != 0)
            missed++, again += j->cost[grid], hopeless |= m->tries[grid] >= TRIES_MOST;
    }
    memset(m->downset, true, sizeof m->downset);
    bool possible = weights_without(s, lost, m->downset, m->weight);
    for (int grid = 0; grid < s->count; grid++)
        if (m->weight[grid] != 0 && m->status[grid] == NOT_WANTED)
            more += j->cost[grid];
    bool cheaper = possible && more < again && weights_error(s, m->downset) <= error_most;
    bool weights = missed == 0 || hopeless || j->option.recover == RECOVER_WEIGHTS ||
                   (j->option.recover == RECOVER_CHEAPER && cheaper);
    if (weights && !possible)
        return CHOICE_NONE_LEFT;
    for (int grid = 0; grid < s->count; grid++)
        if (weights ? m->weight[grid] != 0 && m->status[grid] == NOT_WANTED : lost[grid] && s->layer[grid] <= s->dim)
            m->status[grid] = WANTED, wanted++;
    if (!weights) {
        print_grids(s, "lost:", NULL, lost, "; these are solved again");
        j->state[STATE_AGAIN] += wanted;
    }
    if (wanted > 0)
        return CHOICE_WANTS_MORE;
    if (missed > 0) {
        print_grids(s, "lost:", NULL, lost, "; the others get new weights");
        print_grids(s, "  before:", j->classic, NULL, "");
        print_grids(s, "  after: ", m->weight, NULL, "");
        j->state[STATE_LEFT_OUT] += missed;
    }
    if (j->option.picture && (missed > 0 || job_round(j) == 0))
        picture_scheme(j, m->weight, lost);
    return CHOICE_MADE;
}
