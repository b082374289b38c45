/* hear: the manager hands out grids and hears of results and of deaths. */
#include "manager.h"

/* ---- deaths ------------------------------------------------------------------------------------------------------ */

/* What a group worked on is lost, and what its master had. */
static void lose_grids(struct manager *m, int group, bool held)
{
    for (int grid = 0; grid < m->j->scheme.count; grid++)
        if (m->at[grid] == group && (m->status[grid] == GIVEN || (held && m->status[grid] == HELD)))
            m->status[grid] = LOST;
    m->group[group].working = false;
}

static void remove_group(struct manager *m, int group, const char *why)
{
    lose_grids(m, group, true);
    m->group[group].gone = true;
    m->living--;
    printf("round %d: group %d is removed: %s\n", job_round(m->j) + 1, group, why);
}

/* Figure 6.1: a dead master; figure 6.2: a dead worker, when the manager itself looks out for it. */
static void lose_rank(struct manager *m, int rank)
{
    const struct job *j = m->j;
    int number = j->group_of[rank];
    printf("round %d: rank %d died\n", job_round(j) + 1, j->world_rank_of[rank]);
    if (number == NONE || m->group[number].gone)
        return;
    struct group *g = &m->group[number];
    if (--g->alive == 0)
        remove_group(m, number, "nobody of it lives");
    else if (rank == g->master && j->option.hurt == HURT_REMOVE)
        remove_group(m, number, "its master died");
    else if (rank == g->master) {
        lose_grids(m, number, true);
        g->hurt = true; /* its workers choose another master, who reports */
    } else if (j->option.hurt == HURT_REMOVE && j->option.notice == NOTICE_WATCH)
        remove_group(m, number, "a worker died");
}

/* Who of the dead is new? From now on the ear listens without them. */
static void bury(struct manager *m)
{
    MPI_Group failed, members;
    MPIX_Comm_failure_ack(m->j->all);
    MPIX_Comm_failure_get_acked(m->j->all, &failed);
    MPI_Comm_group(m->j->all, &members);
    for (int rank = 0, place; rank < size_of(m->j->all); rank++) {
        MPI_Group_translate_ranks(members, 1, &rank, failed, &place);
        if (place != MPI_UNDEFINED && !m->dead[rank]) {
            m->dead[rank] = true;
            lose_rank(m, rank);
        }
    }
    MPI_Group_free(&failed);
    MPI_Group_free(&members);
    fflush(stdout);
}

/* ---- news -------------------------------------------------------------------------------------------------------- */

/* Figure 6.2: a group has lost a rank and says so. Its speaker may be another one than before: then the old master is dead. */
static void hear_report(struct manager *m, int number, int speaker, int round)
{
    struct group *g = &m->group[number];
    printf("round %d: rank %d reports a death in group %d\n", job_round(m->j) + 1, m->j->world_rank_of[speaker],
           number);
    lose_grids(m, number, speaker != g->master);
    g->master = speaker;
    g->hurt = false;
    if (m->j->option.hurt == HURT_REMOVE)
        remove_group(m, number, "one of it reported a death");
    else if (round != job_round(m->j))
        send_state(m, number);
}

static void hear_grid(struct manager *m, int grid, int from)
{
    int points = (int)m->j->grid[grid].points, count = 0;
    double *value = malloc((size_t)points * sizeof *value);
    MPI_Status status;
    int code = MPI_Recv(value, points, MPI_DOUBLE, from, TAG_GRID + grid, m->j->all, &status);
    if (code == MPI_SUCCESS)
        MPI_Get_count(&status, MPI_DOUBLE, &count);
    if (count == points && m->status[grid] == HELD) {
        m->j->value[grid] = value;
        m->status[grid] = HERE;
    } else
        free(value); /* if its master died while it sent, the ear will hear of it */
    m->group[m->j->group_of[from]].working = false;
}

static void understand(struct manager *m, int from)
{
    int kind = m->news[0], group = m->j->group_of[from], grid = m->news[1];
    bool sound = is_sealed(m->news, NEWS_INTS); /* else bits were wrong on the way */
    if (group == NONE || m->group[group].gone)
        return; /* a group that was removed may go on for a while */
    if (!sound && from == m->group[group].master)
        lose_grids(m, group, false); /* as if it had not been solved */
    else if (!sound || kind == NEWS_REPORT)
        hear_report(m, group, from, sound ? m->news[2] : NONE);
    else if (kind == NEWS_GRID)
        hear_grid(m, grid, from);
    else if (m->status[grid] == GIVEN && m->at[grid] == group) {
        m->status[grid] = HELD;
        m->group[group].working = false;
    }
}

/* Section 6.1: a receive from any source stays pending when some rank dies, and says so. It goes on when that is acknowledged. */
static int hear(struct manager *m)
{
    MPI_Status status;
    if (m->ear == MPI_REQUEST_NULL)
        MPI_Irecv(m->news, NEWS_INTS, MPI_INT, MPI_ANY_SOURCE, TAG_NEWS, m->j->all, &m->ear);
    int code = MPI_Wait(&m->ear, &status);
    if (code == MPIX_ERR_PROC_FAILED_PENDING || code == MPIX_ERR_PROC_FAILED)
        bury(m);
    else if (code == MPI_SUCCESS)
        understand(m, status.MPI_SOURCE);
    else
        return code;
    return MPI_SUCCESS;
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

/* The costliest grid with this status, at this group if that matters. */
static int pick(const struct manager *m, enum status status, int group)
{
    int best = NONE;
    for (int grid = 0; grid < m->j->scheme.count; grid++)
        if (m->status[grid] == status && (group == NONE || m->at[grid] == group) &&
            (best == NONE || m->j->cost[grid] > m->j->cost[best]))
            best = grid;
    return best;
}

/* The costliest grid is given out first: so all groups end at about the same time. Then grids are collected. */
static void give_orders(struct manager *m)
{
    for (int g = 0; g < GROUPS_MOST; g++) {
        struct group *group = &m->group[g];
        int wanted = pick(m, WANTED, NONE), held = pick(m, HELD, g), grid = wanted != NONE ? wanted : held;
        if (group->gone || group->hurt || group->working || grid == NONE)
            continue;
        int order[ORDER_INTS] = {wanted != NONE ? ORDER_SOLVE : ORDER_COLLECT, grid};
        if (wanted != NONE)
            m->status[grid] = GIVEN, m->at[grid] = g, m->tries[grid]++;
        group->working = true;
        /* If it fails, the ear will hear of it. */
        MPI_Send(sealed(order, ORDER_INTS), ORDER_INTS, MPI_INT, group->master, TAG_ORDER, m->j->all);
    }
}

bool gather_grids(struct manager *m)
{
    while (pick(m, WANTED, NONE) != NONE || pick(m, GIVEN, NONE) != NONE || pick(m, HELD, NONE) != NONE) {
        give_orders(m);
        if (m->living == 0 || hear(m) != MPI_SUCCESS)
            return false;
    }
    return true;
}
