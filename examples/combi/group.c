/* group: a master and its workers. They take orders, solve grids, and mend their group when one of them dies. */
#include "job.h"

/* ---- solving ----------------------------------------------------------------------------------------------------- */

int solve_grid(const struct job *j, int grid, double *value, MPI_Comm team)
{
    const struct grid *g = &j->grid[grid];
    int rank = rank_in(team), size = size_of(team), row = (int)g->stride[g->slab], count[RANKS_MOST], from[RANKS_MOST];
    for (int r = 0; r < size; r++) {
        from[r] = r * (int)g->n[g->slab] / size * row;
        count[r] = (r + 1) * (int)g->n[g->slab] / size * row - from[r];
    }
    double *block = calloc((size_t)(count[rank] + 2 * row), sizeof *block);
    if (rank == 0) {
        sparse_take(&j->sparse, g, j->state + STATE_HEAD, value);
        grid_from_surplus(g, value);
    }
    int code = MPI_Scatterv(value, count, from, MPI_DOUBLE, block + row, count[rank], MPI_DOUBLE, 0, team);
    if (code == MPI_SUCCESS)
        code = pde_advance(g, j->span, block, count[rank] / row, team);
    if (code == MPI_SUCCESS)
        code = MPI_Gatherv(block + row, count[rank], MPI_DOUBLE, value, count, from, MPI_DOUBLE, 0, team);
    free(block);
    return code;
}

/* ---- the master's talk with the manager -------------------------------------------------------------------------- */

static int tell(const struct job *j, int kind, int grid)
{
    int news[NEWS_INTS] = {kind, grid, job_round(j)};
    return MPI_Send(sealed(news, NEWS_INTS), NEWS_INTS, MPI_INT, j->manager, TAG_NEWS, j->all);
}

static int receive_state(struct job *j, int round)
{
    double *state = malloc((size_t)j->state_length * sizeof *state);
    int code = MPI_Recv(state, j->state_length, MPI_DOUBLE, j->manager, TAG_STATE, j->all, MPI_STATUS_IGNORE);
    state[STATE_ROUND] = round;
    if (code == MPI_SUCCESS)
        job_set_state(j, state);
    free(state);
    return code;
}

/* Does what the master can do alone, until a grid is to be solved. */
static int take_order(struct job *j, int *grid)
{
    for (;;) {
        int order[ORDER_INTS];
        int code = MPI_Recv(order, ORDER_INTS, MPI_INT, j->manager, TAG_ORDER, j->all, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return code;
        int which = order[1];
        bool sane = is_sealed(order, ORDER_INTS);
        if (sane && order[0] == ORDER_STATE)
            code = receive_state(j, which);
        else if (sane && order[0] == ORDER_COLLECT && j->value[which]) {
            code = tell(j, NEWS_GRID, which);
            if (code == MPI_SUCCESS)
                code = MPI_Send(j->value[which], (int)j->grid[which].points, MPI_DOUBLE, j->manager, TAG_GRID + which,
                                j->all);
        } else if (sane && order[0] == ORDER_SOLVE) {
            *grid = which;
            return MPI_SUCCESS;
        } else
            code = tell(j, NEWS_REPORT, NONE); /* bits were wrong on the way: the order is not carried out */
        if (code != MPI_SUCCESS)
            return code;
    }
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

static int solve_together(struct job *j, int grid)
{
    bool master = rank_in(j->team) == 0;
    int task[2] = {grid};
    int code = MPI_Bcast(sealed(task, 2), 2, MPI_INT, 0, j->team);
    if (code == MPI_SUCCESS && !is_sealed(task, 2))
        code = MPI_ERR_OTHER;
    if (code != MPI_SUCCESS)
        return code;
    double *value = master ? malloc((size_t)j->grid[task[0]].points * sizeof *value) : NULL;
    code = solve_grid(j, task[0], value, j->team);
    free(code == MPI_SUCCESS ? j->value[task[0]] : value); /* an older one, or what was not finished */
    if (code == MPI_SUCCESS)
        j->value[task[0]] = value;
    return code;
}

/* A call on the team failed at me, or the manager is dead: all of the team come here. They agree on what to do, since some may
 * know more than others. True: the group is a group again, or is removed. False: the job is to be rebuilt. */
static bool mend(struct job *j, bool manager_lives)
{
    MPI_Comm smaller;
    int revoked, local = manager_lives;
    MPIX_Comm_revoke(j->team); /* releases those who wait for a rank that has left the solver */
    MPIX_Comm_is_revoked(j->all, &revoked);
    local = local && !revoked;
    MPIX_Comm_agree(j->team, &local); /* whatever its code, the flag is the same at all */
    if (!local)
        return false;
    MPIX_Comm_shrink(j->team, &smaller);
    MPI_Comm_free(&j->team);
    j->team = smaller;
    if (rank_in(j->team) == 0)      /* the master, or the first of the workers in its place */
        tell(j, NEWS_REPORT, NONE); /* if this fails, so does the next call on `all` */
    if (j->option.hurt == HURT_REMOVE) {
        MPI_Comm_free(&j->team);
        j->group = NONE;
    }
    return true;
}

void serve(struct job *j)
{
    int grid = NONE;
    while (j->group != NONE) {
        bool master = rank_in(j->team) == 0, manager_lives = true, well = true;
        if (master)
            manager_lives = take_order(j, &grid) == MPI_SUCCESS;
        if (manager_lives)
            well = solve_together(j, grid) == MPI_SUCCESS;
        if (manager_lives && well && master)
            manager_lives = tell(j, NEWS_DONE, grid) == MPI_SUCCESS;
        if ((!manager_lives || !well) && !mend(j, manager_lives))
            return;
    }
    /* A rank whose group was removed has nothing to do, but is there when the job is rebuilt. */
    while (take_order(j, &grid) == MPI_SUCCESS && tell(j, NEWS_REPORT, NONE) == MPI_SUCCESS)
        ; /* the manager did not understand the first report */
}
