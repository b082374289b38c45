/* rebuild: all living ranks meet: at the start, after the death of the manager, when no group is left, and at the end. */
#include "job.h"

#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what each says of itself ------------------------------------------------------------------------------------------------------- */

enum { WHO, ROLE, GROUP, TEAM_SIZE, ROUND, HERE }; /* from HERE on: 1 for each grid that is here; then the seal */

static int card_length(const struct job *j)
{
    return HERE + j->scheme.count + 1;
}

static void write_card(const struct job *j, int *card)
{
    card[WHO] = j->world_rank, card[ROLE] = j->role, card[GROUP] = j->group, card[TEAM_SIZE] = j->team_size;
    card[ROUND] = job_round(j);
    for (int grid = 0; grid < j->scheme.count; grid++)
        card[HERE + grid] = j->value[grid] != NULL;
    sealed(card, card_length(j));
}

/* ---- what all conclude from it, each for itself --------------------------------------------------------------------------------------- */

struct plan {
    int size, manager, newest; /* newest: a rank with the state of the latest round */
    int group[RANKS_MOST];
};

/* The manager, if it lives; else the lowest master; else the lowest rank. */
static int choose_manager(const int *cards, int size, int length)
{
    int best = 0;
    for (int r = 1; r < size; r++)
        if (cards[r * length + ROLE] > cards[best * length + ROLE])
            best = r;
    return best;
}

/* Groups that lost a rank are removed, if that is asked for. When no group is left, those who are left are one. */
static void choose_groups(const int *cards, int length, bool remove, struct plan *p)
{
    int alive[GROUPS_MOST] = {0}, groups = 0;
    for (int r = 0; r < p->size; r++)
        if (cards[r * length + GROUP] != NONE)
            alive[cards[r * length + GROUP]]++;
    for (int r = 0; r < p->size; r++) {
        int group = cards[r * length + GROUP];
        bool whole = group != NONE && (!remove || alive[group] == cards[r * length + TEAM_SIZE]);
        p->group[r] = whole && r != p->manager ? group : NONE;
        groups += p->group[r] != NONE;
    }
    for (int r = 0; r < p->size && groups == 0; r++)
        p->group[r] = r == p->manager ? NONE : 0;
}

static void make_plan(const int *cards, int size, int length, bool remove, struct plan *p)
{
    p->size = size;
    p->manager = choose_manager(cards, size, length);
    p->newest = 0;
    for (int r = 1; r < size; r++)
        if (cards[r * length + ROUND] > cards[p->newest * length + ROUND])
            p->newest = r;
    choose_groups(cards, length, remove, p);
}

/* ---- the meeting ------------------------------------------------------------------------------------------------------------------ */

static void note_plan(struct job *j, const int *cards, int length, const struct plan *p)
{
    j->manager = p->manager;
    j->group = p->group[rank_in(j->all)];
    j->role = rank_in(j->all) == p->manager ? MANAGER : WORKER; /* or the team's first, who knows it by its team */
    for (int grid = 0; grid < j->scheme.count; grid++)
        j->holder[grid] = NONE;
    for (int r = 0; r < p->size; r++) {
        const int *card = cards + r * length;
        j->group_of[r] = p->group[r];
        j->world_rank_of[r] = card[WHO];
        for (int grid = 0; grid < j->scheme.count; grid++)
            if (card[ROLE] == MASTER && p->group[r] != NONE && card[ROUND] == job_round(j) && card[HERE + grid])
                j->holder[grid] = p->group[r];
    }
}

/* Nothing of the job changes before all have agreed that all have everything. */
static bool meet(struct job *j, MPI_Comm among, const int *mine, int *cards, struct plan *p)
{
    int length = card_length(j), size = size_of(among), rank = rank_in(among), well;
    double *state = malloc((size_t)job_state_length(j) * sizeof *state);
    MPI_Comm team = MPI_COMM_NULL;
    well = MPI_Allgather(mine, length, MPI_INT, cards, length, MPI_INT, among) == MPI_SUCCESS;
    for (int r = 0; r < size && well; r++)
        well = is_sealed(cards + r * length, length);
    if (well) {
        make_plan(cards, size, length, j->option.hurt == HURT_REMOVE, p);
        memcpy(state, j->state, (size_t)job_state_length(j) * sizeof *state);
        well = MPI_Bcast(state, job_state_length(j), MPI_DOUBLE, p->newest, among) == MPI_SUCCESS;
        state[STATE_ROUND] = cards[p->newest * length + ROUND];
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

/* A group may have mended itself since the last meeting: its first rank is its master. */
static void leave_team(struct job *j)
{
    if (j->team == MPI_COMM_NULL)
        return;
    j->role = rank_in(j->team) == 0 ? MASTER : WORKER;
    j->team_size = size_of(j->team);
    MPI_Comm_free(&j->team);
}

static void tell_of_change(const struct job *j, int role)
{
    static const char *const name[] = {"worker", "master"};
    printf("the manager died; rank %d, a %s, takes its place in round %d, with %d ranks\n", j->world_rank, name[role],
           job_round(j) + 1, size_of(j->all));
    fflush(stdout);
}

void rebuild(struct job *j)
{
    static struct plan plan;
    int length = card_length(j), role;
    int *mine = malloc((size_t)length * sizeof *mine),
        *cards = malloc((size_t)(length * size_of(j->all)) * sizeof *cards);
    bool well;
    leave_team(j);
    role = j->role;
    write_card(j, mine);
    do {
        MPI_Comm smaller;
        MPIX_Comm_shrink(j->all, &smaller);
        well = meet(j, smaller, mine, cards, &plan);
        if (j->all != MPI_COMM_WORLD)
            MPI_Comm_free(&j->all);
        j->all = smaller;
    } while (!well);
    note_plan(j, cards, length, &plan);
    if (j->role == MANAGER && role != MANAGER)
        tell_of_change(j, role);
    free(cards);
    free(mine);
}
