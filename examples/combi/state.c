/* state: the combined solution, with which every round begins. */
#include "job.h"

void job_drop_grids(struct job *j)
{
    for (int grid = 0; grid < j->scheme.count; grid++) {
        free(j->value[grid]);
        j->value[grid] = NULL;
    }
}

void job_set_state(struct job *j, const double *state)
{
    if ((int)state[STATE_ROUND] != job_round(j))
        job_drop_grids(j);
    memcpy(j->state, state, (size_t)j->state_length * sizeof *state);
}

double *job_surplus(const struct job *j, double *const *value, int grid)
{
    double *surplus = malloc((size_t)j->grid[grid].points * sizeof *surplus);
    memcpy(surplus, value[grid], (size_t)j->grid[grid].points * sizeof *surplus);
    grid_to_surplus(&j->grid[grid], surplus);
    return surplus;
}

void job_combine(const struct job *j, double *const *value, const int *weight, double *sparse)
{
    memset(sparse, 0, (size_t)j->sparse.length * sizeof *sparse);
    for (int grid = 0; grid < j->scheme.count; grid++)
        if (weight[grid] != 0) {
            double *surplus = job_surplus(j, value, grid);
            sparse_add(&j->sparse, &j->grid[grid], surplus, weight[grid], sparse);
            free(surplus);
        }
}

void job_classic(const struct job *j, int *weight)
{
    bool whole[GRIDS_MOST];
    memset(whole, true, sizeof whole);
    weights_of(&j->scheme, whole, weight);
}

/* Rank 0 is the manager; the others are divided into groups, as evenly as it can be. */
static void begin_groups(struct job *j)
{
    int rank = j->world_rank, others = j->world_size - 1, groups = j->option.groups, g = (rank * groups - 1) / others;
    int first = 1 + g * others / groups, end = 1 + (g + 1) * others / groups;
    j->group = rank == 0 ? NONE : g;
    j->role = rank == 0 ? MANAGER : rank == first ? MASTER : WORKER;
    j->team_size = end - first;
}

/* The exact solution at time 0, on all grids, combined. */
void job_begin(struct job *j)
{
    int weight[GRIDS_MOST];
    double x[DIM_MOST];
    begin_groups(j);
    j->span = j->option.end / j->option.rounds;
    j->state_length = STATE_HEAD + (int)j->sparse.length;
    j->state = calloc((size_t)j->state_length, sizeof *j->state);
    for (int grid = 0; grid < j->scheme.count; grid++) {
        struct grid *g = &j->grid[grid];
        grid_make(g, j->scheme.dim, j->scheme.level[grid]);
        j->cost[grid] = pde_cost(g, j->span);
        j->value[grid] = malloc((size_t)g->points * sizeof(double));
        for (long p = 0; p < g->points; p++) {
            grid_point(g, p, x);
            j->value[grid][p] = pde_exact(g->dim, x, 0);
        }
    }
    job_classic(j, weight);
    job_combine(j, j->value, weight, j->state + STATE_HEAD);
    job_drop_grids(j);
}
