/* hear: the manager hands out grids and hears of results and of deaths. */
#include "manager.h"

/* What a group worked on is lost, and if its master is, what that had. */
static void lose_grids(struct manager *m, int group, bool held)
{
    for (int grid = 0; grid < m->j->scheme.count; grid++)
        if (m->at[grid] == group && (m->status[grid] == GIVEN || (held && m->status[grid] == HELD)))
            m->status[grid] = LOST;
    m->group[group].is = IDLE;
}

static void remove_group(struct manager *m, int group, const char *why)
{
    lose_grids(m, group, true);
    m->group[group].is = GONE;
    printf("round %d: group %d is removed: %s\n", job_round(m->j) + 1, group, why);
}

/* Figure 6.1: a dead master; figure 6.2: a dead worker, when the manager itself looks out for it. */
static void lose_rank(struct manager *m, int rank)
{
    int number = m->j->card[rank].group;
    printf("round %d: rank %d died\n", job_round(m->j) + 1, m->j->card[rank].who);
    if (number == NONE || m->group[number].is == GONE)
        return;
    struct group *g = &m->group[number];
    bool master = rank == g->master, seen = master || m->j->option.notice == NOTICE_WATCH;
    if (--g->alive == 0)
        remove_group(m, number, "nobody of it lives");
    else if (m->j->option.hurt == HURT_REMOVE && seen)
        remove_group(m, number, master ? "its master died" : "a worker died");
    else if (master) {
        lose_grids(m, number, true);
        g->is = HURT; /* its workers choose another master, who reports */
    }
}

/* Who of the dead is new? From now on the ear listens without them. */
static void bury(struct manager *m)
{
    MPI_Group failed, members;
    int count, rank;
    MPIX_Comm_failure_ack(m->j->all);
    MPIX_Comm_failure_get_acked(m->j->all, &failed);
    MPI_Comm_group(m->j->all, &members);
    MPI_Group_size(failed, &count);
    for (int i = 0; i < count; i++) {
        MPI_Group_translate_ranks(failed, 1, &i, members, &rank);
        if (!m->dead[rank])
            lose_rank(m, rank);
        m->dead[rank] = true;
    }
    MPI_Group_free(&failed);
    MPI_Group_free(&members);
    fflush(stdout);
}

/* Figure 6.2: a group has lost a rank and says so. Its speaker may be another than before: then the old master is dead. */
static void hear_report(struct manager *m, int number, int speaker, int round)
{
    struct group *g = &m->group[number];
    printf("round %d: rank %d reports a death in group %d\n", job_round(m->j) + 1, m->j->card[speaker].who, number);
    lose_grids(m, number, speaker != g->master);
    g->master = speaker;
    g->round = round;
    if (m->j->option.hurt == HURT_REMOVE)
        remove_group(m, number, "one of it reported a death");
}

/* Each order has one answer. Nobody sends to a master that has not answered: it might be sending, too. */
static void understand(struct manager *m, int from)
{
    struct job *j = m->j;
    int number = j->card[from].group;
    if (number == NONE || m->group[number].is == GONE)
        return; /* a group that was removed may go on for a while */
    struct group *g = &m->group[number];
    bool sealed = is_sealed(j, m->news), master = from == g->master; /* not sealed: bits were wrong on the way */
    int word = sealed ? (int)m->news[0] : master ? AGAIN : REPORT;
    int grid = sealed ? (int)m->news[1] : NONE, round = sealed ? (int)m->news[2] : NONE;
    if (word == REPORT)
        hear_report(m, number, from, round);
    else if (master && g->is == WORKING) {
        g->is = IDLE;
        if (word == AGAIN)
            lose_grids(m, number, false); /* as if it had not been solved */
        else if (grid == NONE)
            g->round = round;
        else if (word == DONE && m->status[grid] == GIVEN)
            m->status[grid] = HELD;
        else if (word == GRID && m->status[grid] == HELD) {
            m->status[grid] = HERE;
            j->value[grid] = malloc((size_t)j->grid[grid].points * sizeof(double));
            memcpy(j->value[grid], m->news + WORDS, (size_t)j->grid[grid].points * sizeof(double));
        }
    }
}

/* Section 6.1: a receive from any source says when a rank dies, and stays pending. False: `all` is revoked. */
static bool hear(struct manager *m)
{
    MPI_Status status;
    if (m->ear == MPI_REQUEST_NULL)
        MPI_Irecv(m->news, WORDS, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_NEWS, m->j->all, &m->ear);
    int code = MPI_Wait(&m->ear, &status);
    bool death = code == MPIX_ERR_PROC_FAILED_PENDING || code == MPIX_ERR_PROC_FAILED;
    if (death)
        bury(m);
    else if (code == MPI_SUCCESS && MPI_Recv(m->news + WORDS, m->j->state_length, MPI_DOUBLE, status.MPI_SOURCE,
                                             TAG_BODY, m->j->all, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        understand(m, status.MPI_SOURCE);
    return death || code == MPI_SUCCESS;
}

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

/* The state; then the costliest grid, so that all end at about the same time; then to collect. False: no group is left. */
static bool give_orders(struct manager *m)
{
    bool any = false;
    for (int number = 0; number < GROUPS_MOST; number++) {
        struct group *g = &m->group[number];
        bool old = g->round != job_round(m->j);
        int wanted = old ? NONE : pick(m, WANTED, NONE), grid = old || wanted != NONE ? wanted : pick(m, HELD, number);
        any = any || g->is != GONE;
        if (g->is != IDLE || (!old && grid == NONE))
            continue;
        if (wanted != NONE)
            m->status[grid] = GIVEN, m->at[grid] = number, m->tries[grid]++;
        g->is = WORKING; /* if an order fails, the ear will hear of it */
        say(m->j, g->master, old ? STATE : wanted != NONE ? SOLVE : COLLECT, grid);
    }
    return any;
}

bool gather_grids(struct manager *m)
{
    while (pick(m, WANTED, NONE) != NONE || pick(m, GIVEN, NONE) != NONE || pick(m, HELD, NONE) != NONE)
        if (!give_orders(m) || !hear(m))
            return false;
    return true;
}
