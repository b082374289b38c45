/* outlier: silent faults. A grid that does not fit to its neighbours in the scheme is left out, as if it were lost.
 *
 * The error is of second order: two grids differ at their common points by about C (4^-l - 4^-m), with the same C for all
 * pairs. Points that no neighbour has are compared with the points around them in the same grid. */
#include "manager.h"

enum { NEAR = 2 }; /* neighbours differ by at most so many levels in all */
static const double far = 12,
                    rough = 4; /* times the median of all grids: no grid without faults is so far off, or so rough */

static double distance_between(const struct job *j, int one, int other)
{
    const struct grid *a = &j->grid[one], *b = &j->grid[other];
    struct grid common;
    int level[DIM_MOST];
    double most = 0, expected = 0, x[DIM_MOST];
    for (int k = 0; k < a->dim; k++) {
        level[k] = a->level[k] < b->level[k] ? a->level[k] : b->level[k];
        expected += fabs(pow(4, -a->level[k]) - pow(4, -b->level[k]));
    }
    grid_make(&common, a->dim, level);
    for (long p = 0; p < common.points; p++) {
        grid_point(&common, p, x);
        double apart = fabs(grid_at(a, j->value[one], x) - grid_at(b, j->value[other], x));
        most = isnan(apart) ? INFINITY : fmax(most, apart);
    }
    return most / expected;
}

/* From the nearest of the neighbours. Those of other groups count first: what a whole group was told may be wrong. */
static double distance_of(const struct manager *m, int grid)
{
    const struct scheme *s = &m->j->scheme;
    double nearest[2] = {INFINITY, INFINITY};
    for (int other = 0; other < s->count; other++) {
        int apart = 0, own = m->at[other] == m->at[grid];
        for (int k = 0; k < s->dim; k++)
            apart += abs(s->level[other][k] - s->level[grid][k]);
        if (other != grid && m->status[other] == HERE && apart <= NEAR)
            nearest[own] = fmin(nearest[own], distance_between(m->j, grid, other));
    }
    return isinf(nearest[0]) && !isinf(nearest[1]) ? nearest[1] : nearest[0];
}

/* The mixed second derivative where it is largest: it is about the same on all grids, and 1 for a wave as long as the cube. */
static double roughness_of(const struct job *j, int grid)
{
    const struct grid *g = &j->grid[grid];
    double most = 0, *now = malloc(2 * (size_t)g->points * sizeof *now), *next = now + g->points;
    memcpy(now, j->value[grid], (size_t)g->points * sizeof *now);
    for (int k = 0; k < g->dim; k++) {
        for (long p = 0; p < g->points; p++) {
            long i = grid_along(g, p, k), around = g->n[k] * g->stride[k];
            long before = p - g->stride[k] + (i == 0 ? around : 0);
            long after = p + g->stride[k] - (i == g->n[k] - 1 ? around : 0);
            next[p] = (now[before] - 2 * now[p] + now[after]) * pow(4, g->level[k]) / 40;
        }
        memcpy(now, next, (size_t)g->points * sizeof *now);
    }
    for (long p = 0; p < g->points; p++)
        most = isnan(now[p]) ? INFINITY : fmax(most, fmax(fabs(now[p]), fabs(j->value[grid][p])));
    free(now);
    return most;
}

/* Is a grid's measure so many times that of at least half of them? */
static bool is_above(const struct manager *m, const double *measure, double times, int grid)
{
    int count = 0, below = 0;
    for (int other = 0; other < m->j->scheme.count; other++)
        if (m->status[other] == HERE)
            count++, below += times * measure[other] < measure[grid];
    return 2 * below >= count;
}

void drop_outliers(struct manager *m)
{
    double distance[GRIDS_MOST], roughness[GRIDS_MOST];
    for (int grid = 0; grid < m->j->scheme.count; grid++)
        if (m->status[grid] == HERE)
            distance[grid] = distance_of(m, grid), roughness[grid] = roughness_of(m->j, grid);
    for (int grid = 0; grid < m->j->scheme.count; grid++)
        if (m->status[grid] == HERE && (is_above(m, distance, far, grid) || is_above(m, roughness, rough, grid))) {
            printf("round %d: %s is an outlier\n", job_round(m->j) + 1, level_text(&m->j->scheme, grid));
            m->status[grid] = LOST;
            free(m->j->value[grid]);
            m->j->value[grid] = NULL;
        }
}
