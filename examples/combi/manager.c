/* manager: rounds. In each, all grids are solved for a span of time, collected and combined, and the combined solution is where
 * all grids begin the next. */
#include "manager.h"

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

static void know_groups(struct manager *m)
{
    const struct job *j = m->j;
    for (int g = 0; g < GROUPS_MOST; g++)
        m->group[g] = (struct group){.gone = true};
    for (int r = size_of(j->all) - 1; r >= 0; r--)
        if (j->group_of[r] != NONE) {
            struct group *group = &m->group[j->group_of[r]];
            m->living += group->gone;
            *group = (struct group){.master = r, .alive = group->alive + 1};
        }
}

/* The diagonals of the classic combination, and one below them: for the estimate of the error, and for what may be lost. That is
 * cheap, since its grids are small. */
static void want_grids(struct manager *m)
{
    struct job *j = m->j;
    for (int grid = 0; grid < j->scheme.count; grid++) {
        bool wanted = j->scheme.layer[grid] <= j->scheme.dim;
        m->at[grid] = j->holder[grid];
        m->status[grid] = j->value[grid] ? HERE : j->holder[grid] != NONE ? HELD : wanted ? WANTED : NOT_WANTED;
        m->tries[grid] = 0;
        j->holder[grid] = NONE; /* of this round only */
    }
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

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

/* The error of this round: at most about the difference to the combination without the outermost grids. Rounds add up. */
static double estimate(const struct manager *m, const double *sparse)
{
    const struct job *j = m->j;
    bool lost[GRIDS_MOST], coarser[GRIDS_MOST];
    int weight[GRIDS_MOST];
    double *other = malloc((size_t)j->sparse.length * sizeof *other);
    memcpy(coarser, m->downset, sizeof coarser);
    downset_coarser(&j->scheme, coarser);
    for (int grid = 0; grid < j->scheme.count; grid++)
        lost[grid] = m->status[grid] != HERE;
    weights_without(&j->scheme, lost, coarser, weight);
    job_combine(j, j->value, weight, other);
    double difference = sparse_distance(&j->sparse, sparse, other);
    free(other);
    return difference;
}

static void combine(struct manager *m)
{
    struct job *j = m->j;
    double *state = malloc((size_t)j->state_length * sizeof *state);
    memcpy(state, j->state, STATE_HEAD * sizeof *state);
    job_combine(j, j->value, m->weight, state + STATE_HEAD);
    state[STATE_ESTIMATE] += estimate(m, state + STATE_HEAD);
    state[STATE_ROUND]++;
    job_set_state(j, state);
    free(state);
    for (int g = 0; g < GROUPS_MOST; g++)
        send_state(m, g);
}

void send_state(struct manager *m, int group)
{
    const struct job *j = m->j;
    const struct group *g = &m->group[group];
    int order[ORDER_INTS] = {ORDER_STATE, job_round(j)};
    if (g->gone || g->hurt)
        return;
    /* If it fails, the ear will hear of it. */
    if (MPI_Send(sealed(order, ORDER_INTS), ORDER_INTS, MPI_INT, g->master, TAG_ORDER, j->all) == MPI_SUCCESS)
        MPI_Send(j->state, j->state_length, MPI_DOUBLE, g->master, TAG_STATE, j->all);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static bool do_round(struct manager *m)
{
    enum choice choice = CHOICE_WANTS_MORE;
    for (want_grids(m); choice == CHOICE_WANTS_MORE; choice = choose_weights(m)) {
        if (!gather_grids(m))
            return false;
        drop_outliers(m);
    }
    if (choice == CHOICE_NONE_LEFT) { /* an answer without any worth, and all will know */
        m->j->state[STATE_ROUND] = m->j->option.rounds;
        m->j->state[STATE_ESTIMATE] = INFINITY;
        return false;
    }
    tell_who(m);
    combine(m);
    return true;
}

void manage(struct job *j)
{
    static struct manager m;
    m = (struct manager){.j = j, .ear = MPI_REQUEST_NULL};
    know_groups(&m);
    while (job_round(j) < j->option.rounds && do_round(&m))
        ;
    MPIX_Comm_revoke(j->all); /* it is over, or no group is left: all meet */
    if (m.ear != MPI_REQUEST_NULL)
        MPI_Wait(&m.ear, MPI_STATUS_IGNORE);
}
