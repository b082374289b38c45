/* outlier: silent faults. A grid that does not fit to its neighbours in the scheme is left out, as if it were lost.
 *
 * Two grids differ at their common points by about C (4^-l - 4^-m), added up over the axes: the error is of second order. C is
 * the same for all pairs, so a grid that is far from all of its neighbours by that measure is wrong. Points that no neighbour has
 * are looked at through their surpluses, which fall by 4 from level to level where the solution is smooth. */
#include "manager.h"

enum { NEAR = 2 };            /* neighbours differ by at most so many levels in all */
static const double far = 12; /* times the median of all grids: no other grid is so far off */

/* The larger of both; what is no number is larger than anything. */
static double larger(double most, double value)
{
    return value <= most ? most : isfinite(value) ? value : INFINITY;
}

static double distance(const struct job *j, int one, int other)
{
    const struct grid *a = &j->grid[one], *b = &j->grid[other];
    struct grid common;
    int level[DIM_MOST];
    double most = 0, expected = 0;
    for (int k = 0; k < a->dim; k++) {
        level[k] = a->level[k] < b->level[k] ? a->level[k] : b->level[k];
        expected += fabs(pow(4, -a->level[k]) - pow(4, -b->level[k]));
    }
    grid_make(&common, a->dim, level);
    for (long p = 0; p < common.points; p++) {
        long at_a = 0, at_b = 0;
        for (int k = 0; k < a->dim; k++) {
            long i = grid_along(&common, p, k);
            at_a += (i << (a->level[k] - level[k])) * a->stride[k];
            at_b += (i << (b->level[k] - level[k])) * b->stride[k];
        }
        most = larger(most, fabs(j->value[one][at_a] - j->value[other][at_b]));
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
            nearest[own] = fmin(nearest[own], distance(m->j, grid, other));
    }
    return isinf(nearest[0]) && !isinf(nearest[1]) ? nearest[1] : nearest[0];
}

static double roughness_of(const struct job *j, int grid)
{
    const struct grid *g = &j->grid[grid];
    double most = 0, *surplus = job_surplus(j, j->value, grid);
    for (long p = 0; p < g->points; p++) {
        int levels = 0;
        for (int k = 0; k < g->dim; k++)
            levels += grid_level(g, p, k);
        most = larger(most, fabs(surplus[p]) * pow(4, levels));
    }
    free(surplus);
    return most;
}

/* Those whose measure is far above the median. */
static void find(const struct manager *m, const double *measure, bool *found)
{
    double middle = 0;
    for (int grid = 0; grid < m->j->scheme.count; grid++) {
        int below = 0, count = 0;
        for (int other = 0; other < m->j->scheme.count; other++)
            if (m->status[other] == HERE)
                count++, below += measure[other] < measure[grid];
        if (m->status[grid] == HERE && 2 * below < count)
            middle = fmax(middle, measure[grid]);
    }
    for (int grid = 0; grid < m->j->scheme.count; grid++)
        found[grid] |= m->status[grid] == HERE && !(measure[grid] <= far * middle);
}

void drop_outliers(struct manager *m)
{
    double away[GRIDS_MOST] = {0}, rough[GRIDS_MOST] = {0};
    bool found[GRIDS_MOST] = {false};
    for (int grid = 0; grid < m->j->scheme.count; grid++)
        if (m->status[grid] == HERE)
            away[grid] = distance_of(m, grid), rough[grid] = roughness_of(m->j, grid);
    find(m, away, found);
    find(m, rough, found);
    for (int grid = 0; grid < m->j->scheme.count; grid++)
        if (found[grid]) {
            printf("round %d: %s is an outlier\n", job_round(m->j) + 1, level_text(&m->j->scheme, grid));
            m->status[grid] = LOST;
            free(m->j->value[grid]);
            m->j->value[grid] = NULL;
        }
}
