/* manager: rounds. In each, all grids are solved for a span of time, collected and combined, and begin anew from there. */
#include "manager.h"

static void know_groups(struct manager *m)
{
    for (int r = size_of(m->j->all) - 1; r >= 0; r--)
        if (m->j->card[r].group != NONE) {
            struct group *g = &m->group[m->j->card[r].group];
            *g = (struct group){.is = IDLE, .master = r, .alive = g->alive + 1, .round = job_round(m->j)};
        }
}

/* The diagonals of the classic combination, and one below them, of small grids: for the estimate of the error, and for what
 * may be lost. What masters have from before the manager died is not solved again. */
static void want_grids(struct manager *m)
{
    const struct job *j = m->j;
    for (int grid = 0; grid < j->scheme.count; grid++) {
        m->status[grid] = j->value[grid] ? HERE : j->scheme.layer[grid] <= j->scheme.dim ? WANTED : NOT_WANTED;
        m->at[grid] = NONE;
        m->tries[grid] = 0;
        for (int r = 0; r < size_of(j->all) && m->status[grid] != HERE; r++) {
            const struct card *c = &j->card[r];
            if (c->role == MASTER && c->group != NONE && c->round == job_round(j) && c->here[grid])
                m->status[grid] = HELD, m->at[grid] = c->group;
        }
    }
}

static void tell_who(const struct manager *m)
{
    printf("round %d:", job_round(m->j) + 1);
    for (int g = NONE; g < GROUPS_MOST; g++)
        for (int grid = 0, first = 1; grid < m->j->scheme.count; grid++)
            if (m->status[grid] == HERE && m->at[grid] == g) {
                if (first-- == 1)
                    printf(g == NONE ? "  manager" : "  group %d", g);
                printf(" %s", level_text(&m->j->scheme, grid));
            }
    printf("\n");
    fflush(stdout);
}

/* The error of this round: at most about the difference to the combination without the outermost grids. */
static double estimate(const struct manager *m)
{
    const struct job *j = m->j;
    bool lost[GRIDS_MOST], coarser[GRIDS_MOST];
    int weight[GRIDS_MOST], middle = NONE; /* on the diagonal the cheapest: the most even of them */
    double difference[GRIDS_MOST];
    for (int grid = 0; grid < j->scheme.count; grid++) {
        lost[grid] = m->status[grid] != HERE;
        if (m->weight[grid] > 0 && (middle == NONE || j->cost[grid] < j->cost[middle]))
            middle = grid;
    }
    downset_coarser(&j->scheme, m->downset, coarser);
    if (!weights_without(&j->scheme, lost, coarser, weight))
        weight[middle] = 1; /* too much is lost: to one grid by itself */
    for (int grid = 0; grid < j->scheme.count; grid++)
        difference[grid] = m->weight[grid] - weight[grid];
    return combination_distance(&(struct combination){j->scheme.count, j->grid, difference, j->value}, NULL, 0);
}

/* False: the job is over, or is to be rebuilt. */
static bool do_round(struct manager *m)
{
    struct job *j = m->j;
    enum choice choice = CHOICE_WANTS_MORE;
    for (want_grids(m); choice == CHOICE_WANTS_MORE; choice = choose_weights(m)) {
        if (!gather_grids(m))
            return false;
        drop_outliers(m);
    }
    if (choice == CHOICE_NONE_LEFT) { /* an answer without any worth, and all will know */
        j->state[STATE_ROUND] = j->option.rounds;
        j->state[STATE_ESTIMATE] = INFINITY;
        return false;
    }
    tell_who(m);
    j->state[STATE_ESTIMATE] += estimate(m); /* rounds add up */
    job_combine(j, m->weight);
    j->state[STATE_ROUND]++;
    return job_round(j) < j->option.rounds;
}

void manage(struct job *j)
{
    static struct manager m;
    m = (struct manager){.j = j, .ear = MPI_REQUEST_NULL};
    m.news = malloc((size_t)(WORDS + j->state_length) * sizeof *m.news);
    know_groups(&m);
    while (do_round(&m))
        ;
    MPIX_Comm_revoke(j->all); /* it is over, or no group is left: all meet */
    if (m.ear != MPI_REQUEST_NULL)
        MPI_Wait(&m.ear, MPI_STATUS_IGNORE);
    free(m.news);
}
