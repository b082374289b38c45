/* group: a master and its workers. They take orders, solve grids, and mend their group when one of them dies. */
#include "job.h"

int solve_grid(const struct job *j, int grid, double *value, MPI_Comm team)
{
    const struct grid *g = &j->grid[grid];
    int rank = rank_in(team), size = size_of(team), row = (int)g->stride[g->slab], count[RANKS_MOST], from[RANKS_MOST];
    for (int r = 0; r < size; r++) {
        from[r] = r * (int)g->n[g->slab] / size * row;
        count[r] = (r + 1) * (int)g->n[g->slab] / size * row - from[r];
    }
    double x[DIM_MOST], *block = calloc((size_t)(count[rank] + 2 * row), sizeof *block);
    for (long p = 0; p < g->points && rank == 0; p++) {
        grid_point(g, p, x);
        value[p] = combination_at(&j->solution, x);
    }
    int code = MPI_Scatterv(value, count, from, MPI_DOUBLE, block + row, count[rank], MPI_DOUBLE, 0, team);
    if (code == MPI_SUCCESS)
        code = pde_advance(g, j->span, block, count[rank] / row, team);
    if (code == MPI_SUCCESS)
        code = MPI_Gatherv(block + row, count[rank], MPI_DOUBLE, value, count, from, MPI_DOUBLE, 0, team);
    free(block);
    return code;
}

static bool solve_together(struct job *j, int grid)
{
    int task[2] = {grid, seal_of(&grid, sizeof grid)};
    if (MPI_Bcast(task, 2, MPI_INT, 0, j->team) != MPI_SUCCESS || task[1] != seal_of(task, sizeof *task))
        return false;
    grid = task[0];
    double *value = rank_in(j->team) == 0 ? malloc((size_t)j->grid[grid].points * sizeof *value) : NULL;
    bool well = solve_grid(j, grid, value, j->team) == MPI_SUCCESS;
    free(well ? j->value[grid] : value); /* an older one, or what was not finished */
    if (well)
        j->value[grid] = value;
    return well;
}

/* Does what the master can do alone, until a grid is to be solved. False: the manager is dead, or the job is rebuilt. */
static bool take_order(struct job *j, int *grid)
{
    int code = MPI_SUCCESS;
    double *order = malloc((size_t)(WORDS + j->state_length) * sizeof *order);
    bool solve = false;
    while (!solve && code == MPI_SUCCESS) {
        code = MPI_Recv(order, WORDS, MPI_DOUBLE, j->manager, TAG_ORDER, j->all, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS)
            code =
                MPI_Recv(order + WORDS, j->state_length, MPI_DOUBLE, j->manager, TAG_BODY, j->all, MPI_STATUS_IGNORE);
        bool sealed = code == MPI_SUCCESS && is_sealed(j, order);
        int word = sealed ? (int)order[0] : NONE;
        *grid = sealed ? (int)order[1] : NONE;
        solve = word == SOLVE;
        if (word == STATE)
            job_set_state(j, order + WORDS);
        if (code == MPI_SUCCESS && !solve) /* AGAIN: bits were wrong on the way */
            code = say(j, j->manager, word == STATE ? DONE : word == COLLECT && j->value[*grid] ? GRID : AGAIN, *grid);
    }
    free(order);
    return solve;
}

/* A call on the team failed at me, or the manager is dead: all of the team come here. They agree on what to do, since some
 * may know more than others. True: the group is a group again, or is removed. False: the job is to be rebuilt. */
static bool mend(struct job *j, bool manager_lives)
{
    MPI_Comm smaller;
    int revoked;
    MPIX_Comm_revoke(j->team); /* releases those who wait for a rank that has left the solver */
    MPIX_Comm_is_revoked(j->all, &revoked);
    int local = manager_lives && !revoked;
    MPIX_Comm_agree(j->team, &local); /* whatever its code, the flag is the same at all */
    if (!local)
        return false;
    MPIX_Comm_shrink(j->team, &smaller);
    MPI_Comm_free(&j->team);
    j->team = smaller;
    if (rank_in(j->team) == 0)            /* the master, or the first of the workers in its place */
        say(j, j->manager, REPORT, NONE); /* if this fails, so does the next call on `all` */
    if (j->option.hurt == HURT_REMOVE) {
        MPI_Comm_free(&j->team);
        j->me.group = NONE;
    }
    return true;
}

void serve(struct job *j)
{
    int grid = NONE;
    while (j->me.group != NONE) {
        bool master = rank_in(j->team) == 0, manager_lives = true, well = true;
        if (master)
            manager_lives = take_order(j, &grid);
        if (manager_lives)
            well = solve_together(j, grid);
        if (manager_lives && well && master)
            manager_lives = say(j, j->manager, DONE, grid) == MPI_SUCCESS;
        if ((!manager_lives || !well) && !mend(j, manager_lives))
            return;
    }
    /* A rank whose group was removed has nothing to do, but is there when the job is rebuilt. */
    while (take_order(j, &grid) && say(j, j->manager, REPORT, NONE) == MPI_SUCCESS)
        ; /* the manager did not understand the first report */
}
