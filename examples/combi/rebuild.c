/* rebuild: all living ranks meet: at the start, after the death of the manager, when no group is left, and at the end. */
#include "job.h"

/* What each says of itself. */
struct card {
    int who, role, group, team_size, round, here[GRIDS_MOST], seal;
};
enum { CARD_INTS = sizeof(struct card) / sizeof(int) };

/* What all conclude from it, each for itself. `newest`: a rank that has the state of the latest round. */
struct plan {
    int size, manager, newest, group[RANKS_MOST];
    struct card card[RANKS_MOST];
};

static void write_card(const struct job *j, struct card *c)
{
    *c = (struct card){j->world_rank, j->role, j->group, j->team_size, job_round(j), {0}, 0};
    for (int grid = 0; grid < j->scheme.count; grid++)
        c->here[grid] = j->value[grid] != NULL;
    sealed(&c->who, CARD_INTS);
}

/* The manager goes on, if it lives; else the lowest master takes its place; else the lowest rank. Groups that lost a rank are
 * removed, if that is asked for. When no group is left, those who are left are one. */
static void make_plan(struct plan *p, bool remove)
{
    int alive[GROUPS_MOST] = {0}, in_groups = 0;
    p->manager = p->newest = 0;
    for (int r = 0; r < p->size; r++) {
        const struct card *c = &p->card[r];
        p->manager = c->role > p->card[p->manager].role ? r : p->manager;
        p->newest = c->round > p->card[p->newest].round ? r : p->newest;
        if (c->group != NONE)
            alive[c->group]++;
    }
    for (int r = 0; r < p->size; r++) {
        const struct card *c = &p->card[r];
        bool whole = c->group != NONE && (!remove || alive[c->group] == c->team_size);
        p->group[r] = whole && r != p->manager ? c->group : NONE;
        in_groups += p->group[r] != NONE;
    }
    for (int r = 0; r < p->size && in_groups == 0; r++)
        p->group[r] = r == p->manager ? NONE : 0;
}

/* Nothing of the job changes before all have agreed that all have everything. */
static bool meet(struct job *j, MPI_Comm among, const struct card *mine, struct plan *p)
{
    int rank = rank_in(among), well;
    double *state = malloc((size_t)j->state_length * sizeof *state);
    MPI_Comm team = MPI_COMM_NULL;
    p->size = size_of(among);
    well = MPI_Allgather(mine, CARD_INTS, MPI_INT, p->card, CARD_INTS, MPI_INT, among) == MPI_SUCCESS;
    for (int r = 0; r < p->size && well; r++)
        well = is_sealed(&p->card[r].who, CARD_INTS);
    if (well) {
        make_plan(p, j->option.hurt == HURT_REMOVE);
        memcpy(state, j->state, (size_t)j->state_length * sizeof *state);
        well = MPI_Bcast(state, j->state_length, MPI_DOUBLE, p->newest, among) == MPI_SUCCESS;
        state[STATE_ROUND] = p->card[p->newest].round;
    }
    if (well)
        well =
            MPI_Comm_split(among, p->group[rank] == NONE ? MPI_UNDEFINED : p->group[rank], rank, &team) == MPI_SUCCESS;
    if (!well)
        MPIX_Comm_revoke(among); /* releases those who wait for a rank that has given up */
    well = MPIX_Comm_agree(among, &well) == MPI_SUCCESS && well;
    if (well) {
        job_set_state(j, state);
        j->team = team;
    } else if (team != MPI_COMM_NULL)
        MPI_Comm_free(&team);
    free(state);
    return well;
}

static void take_part(struct job *j, const struct plan *p)
{
    int rank = rank_in(j->all), before = j->role;
    j->manager = p->manager;
    j->group = p->group[rank];
    j->role = rank == p->manager ? MANAGER : WORKER; /* masters know by their teams that they are */
    for (int r = 0; r < p->size; r++)
        j->group_of[r] = p->group[r], j->world_rank_of[r] = p->card[r].who;
    for (int grid = 0; grid < j->scheme.count; grid++) {
        j->holder[grid] = NONE;
        for (int r = 0; r < p->size; r++)
            if (p->card[r].role == MASTER && p->card[r].round == job_round(j) && p->card[r].here[grid] &&
                p->group[r] != NONE)
                j->holder[grid] = p->group[r];
    }
    if (j->role == MANAGER && before != MANAGER)
        printf("the manager died; rank %d, a %s, takes its place in round %d, with %d ranks\n", j->world_rank,
               before == MASTER ? "master" : "worker", job_round(j) + 1, p->size);
    fflush(stdout);
}

void rebuild(struct job *j)
{
    static struct plan plan;
    struct card mine;
    bool well;
    if (j->team != MPI_COMM_NULL) { /* a group may have mended itself: its first rank is its master */
        j->role = rank_in(j->team) == 0 ? MASTER : WORKER;
        j->team_size = size_of(j->team);
        MPI_Comm_free(&j->team);
    }
    write_card(j, &mine);
    do {
        MPI_Comm smaller;
        MPIX_Comm_shrink(j->all, &smaller);
        well = meet(j, smaller, &mine, &plan);
        if (j->all != MPI_COMM_WORLD)
            MPI_Comm_free(&j->all);
        j->all = smaller;
    } while (!well);
    take_part(j, &plan);
}
