/* rebuild: all living ranks meet: at the start, after the death of the manager, when no group is left, and at the end. */
#include "job.h"

static void write_card(struct job *j)
{
    if (j->all ==
        MPI_COMM_WORLD) { /* the first: rank 0 is the manager; the others are divided as evenly as it can be */
        int rank = rank_in(MPI_COMM_WORLD), group = (rank * j->option.groups - 1) / (j->world_size - 1);
        j->me = (struct card){.who = rank, .role = rank ? WORKER : MANAGER, .group = rank ? group : NONE};
    } else if (j->team != MPI_COMM_NULL) { /* a group may have mended itself: its first rank is its master */
        j->me.role = rank_in(j->team) == 0 ? MASTER : WORKER;
        j->me.team_size = size_of(j->team);
        MPI_Comm_free(&j->team);
    }
    j->me.round = job_round(j);
    j->me.state = seal_of(j->state, (size_t)j->state_length * sizeof *j->state);
    for (int grid = 0; grid < j->scheme.count; grid++)
        j->me.here[grid] = j->value[grid] != NULL;
    j->me.seal = seal_of(&j->me, CARD_SEALED);
}

/* What all conclude from the cards, each for itself. The manager goes on, if it lives; else the lowest master takes its
 * place; else the lowest rank. Groups that lost a rank are removed, if that is asked for. When no group is left, those who
 * are left are one. Returns a rank that has the state of the latest round. */
static int make_plan(struct job *j, int size)
{
    int alive[GROUPS_MOST] = {0}, newest = 0, in_groups = 0;
    j->manager = 0;
    for (int r = 0; r < size; r++) {
        const struct card *c = &j->card[r];
        j->manager = c->role > j->card[j->manager].role ? r : j->manager;
        newest = c->round > j->card[newest].round ? r : newest;
        if (c->group != NONE)
            alive[c->group]++;
    }
    for (int r = 0; r < size; r++) {
        struct card *c = &j->card[r];
        bool hurt = c->group != NONE && alive[c->group] < c->team_size;
        if (r == j->manager || (hurt && j->option.hurt == HURT_REMOVE))
            c->group = NONE;
        in_groups += c->group != NONE;
    }
    for (int r = 0; r < size && in_groups == 0; r++)
        j->card[r].group = r == j->manager ? NONE : 0;
    return newest;
}

/* My state does not change before all have agreed that all have everything. */
static bool meet(struct job *j, MPI_Comm among)
{
    int rank = rank_in(among), size = size_of(among);
    size_t bytes = (size_t)j->state_length * sizeof(double);
    double *state = malloc(bytes);
    MPI_Comm team = MPI_COMM_NULL;
    int well = MPI_Allgather(&j->me, CARD_INTS, MPI_INT, j->card, CARD_INTS, MPI_INT, among) == MPI_SUCCESS;
    for (int r = 0; r < size && well; r++)
        well = j->card[r].seal == seal_of(&j->card[r], CARD_SEALED);
    if (well) {
        int newest = make_plan(j, size), color = j->card[rank].group == NONE ? MPI_UNDEFINED : j->card[rank].group;
        memcpy(state, j->state, bytes);
        well = MPI_Bcast(state, j->state_length, MPI_DOUBLE, newest, among) == MPI_SUCCESS &&
               j->card[newest].state == seal_of(state, bytes) &&
               MPI_Comm_split(among, color, rank, &team) == MPI_SUCCESS;
    }
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

void rebuild(struct job *j)
{
    bool well;
    write_card(j);
    do {
        MPI_Comm smaller;
        MPIX_Comm_shrink(j->all, &smaller);
        well = meet(j, smaller);
        if (j->all != MPI_COMM_WORLD)
            MPI_Comm_free(&j->all);
        j->all = smaller;
    } while (!well);
    int rank = rank_in(j->all);
    j->me.group = j->card[rank].group;
    j->me.role = rank == j->manager ? MANAGER : WORKER; /* masters know by their teams that they are */
    if (j->me.role == MANAGER && j->card[rank].role != MANAGER)
        printf("the manager died; rank %d takes its place in round %d, with %d ranks\n", j->me.who, job_round(j) + 1,
               size_of(j->all));
    fflush(stdout);
}
