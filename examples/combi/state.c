/* state: the combined solution, with which every round begins. */
#include "job.h"
#include "pde.h"

#include <stdlib.h>
#include <string.h>

void job_set_state(struct job *j, const double *state)
{
    if ((int)state[STATE_ROUND] != job_round(j))
        job_drop_grids(j);
    memcpy(j->state, state, (size_t)job_state_length(j) * sizeof *state);
}

void job_drop_grids(struct job *j)
{
    for (int grid = 0; grid < j->scheme.count; grid++) {
        free(j->value[grid]);
        j->value[grid] = NULL;
    }
}

void job_combine(const struct job *j, double *const *value, const int *weight, double *sparse)
{
    memset(sparse, 0, (size_t)j->sparse.length * sizeof *sparse);
    for (int grid = 0; grid < j->scheme.count; grid++) {
        struct grid g;
        if (weight[grid] == 0)
            continue;
        job_grid(j, grid, &g);
        double *surplus = malloc((size_t)g.points * sizeof *surplus);
        memcpy(surplus, value[grid], (size_t)g.points * sizeof *surplus);
        grid_to_surplus(&g, surplus);
        sparse_add(&j->sparse, &g, surplus, weight[grid], sparse);
        free(surplus);
    }
}

void job_classic(const struct job *j, int *weight)
{
    bool whole[GRIDS_MOST];
    memset(whole, true, sizeof whole);
    weights_of(&j->scheme, whole, weight);
}

/* The exact solution at time 0, on all grids of the classic combination, combined. */
static void begin_state(struct job *j)
{
    int weight[GRIDS_MOST];
    job_classic(j, weight);
    for (int grid = 0; grid < j->scheme.count; grid++) {
        struct grid g;
        double x[DIM_MOST];
        job_grid(j, grid, &g);
        j->value[grid] = malloc((size_t)g.points * sizeof(double));
        for (long p = 0; p < g.points; p++) {
            grid_point(&g, p, x);
            j->value[grid][p] = pde_exact(g.dim, x, 0);
        }
    }
    j->state = calloc((size_t)job_state_length(j), sizeof *j->state);
    job_combine(j, j->value, weight, j->state + STATE_HEAD);
    job_drop_grids(j);
}

/* Rank 0 is the manager; the others are divided into groups. */
void job_begin(struct job *j)
{
    int others = j->world_size - 1, groups = j->option.groups;
    j->group = NONE, j->role = j->world_rank == 0 ? MANAGER : WORKER;
    for (int g = 0; g < groups; g++) {
        int first = 1 + g * others / groups, end = 1 + (g + 1) * others / groups;
        if (j->world_rank >= first && j->world_rank < end)
            j->group = g, j->team_size = end - first, j->role = j->world_rank == first ? MASTER : WORKER;
    }
    begin_state(j);
}
