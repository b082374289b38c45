/* outlier: silent faults. A grid that does not fit to its neighbours in the scheme is left out, as if it were lost.
 *
 * Two grids differ at their common points by about C (4^-l - 4^-m), added up over the axes: the error is of second order. C is
 * the same for all pairs, so a grid that is far from all of its neighbours by that measure is wrong. Points that no neighbour has
 * are looked at through their surpluses, which fall by 4 from level to level where the solution is smooth. */
#include "manager.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR = 2 };                        /* neighbours differ by at most so many levels in all */
static const double far = 12, rough = 12; /* times the median of all grids */

/* ---- two measures of one grid --------------------------------------------------------------------------------------------------- */

static long same_point(const struct grid *common, long point, const struct grid *g)
{
    long at = 0;
    for (int k = 0; k < g->dim; k++)
        at += (grid_along(common, point, k) << (g->level[k] - common->level[k])) * g->stride[k];
    return at;
}

static double distance(const struct job *j, int one, int other)
{
    struct grid a, b, common;
    int level[DIM_MOST];
    double most = 0, expected = 0;
    job_grid(j, one, &a);
    job_grid(j, other, &b);
    for (int k = 0; k < a.dim; k++) {
        level[k] = a.level[k] < b.level[k] ? a.level[k] : b.level[k];
        expected += fabs(pow(4, -a.level[k]) - pow(4, -b.level[k]));
    }
    grid_make(&common, a.dim, level);
    for (long p = 0; p < common.points; p++) {
        double d = fabs(j->value[one][same_point(&common, p, &a)] - j->value[other][same_point(&common, p, &b)]);
        if (!(d <= most))
            most = isfinite(d) ? d : INFINITY;
    }
    return most / expected;
}

/* From the nearest of the neighbours. Those of another group count first: what a whole group was told may be wrong. */
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
    struct grid g;
    double most = 0;
    job_grid(j, grid, &g);
    double *surplus = malloc((size_t)g.points * sizeof *surplus);
    memcpy(surplus, j->value[grid], (size_t)g.points * sizeof *surplus);
    grid_to_surplus(&g, surplus);
    for (long p = 0; p < g.points; p++) {
        double scale = 1;
        for (int k = 0; k < g.dim; k++) {
            long i = grid_along(&g, p, k);
            scale *= i == 0 ? 1 : pow(4, g.level[k] - __builtin_ctzl((unsigned long)i));
        }
        if (!(fabs(surplus[p]) * scale <= most))
            most = isfinite(surplus[p]) ? fabs(surplus[p]) * scale : INFINITY;
    }
    free(surplus);
    return most;
}

/* ---- all grids ---------------------------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *list, int count)
{
    double sorted[GRIDS_MOST];
    memcpy(sorted, list, (size_t)count * sizeof *list);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return sorted[count / 2];
}

void drop_outliers(struct manager *m)
{
    int grid[GRIDS_MOST], count = 0;
    double away[GRIDS_MOST], uneven[GRIDS_MOST];
    for (int g = 0; g < m->j->scheme.count; g++)
        if (m->status[g] == HERE) {
            away[count] = distance_of(m, g);
            uneven[count] = roughness_of(m->j, g);
            grid[count++] = g;
        }
    for (int i = 0; i < count && count > 2; i++) {
        if (away[i] <= far * median(away, count) && uneven[i] <= rough * median(uneven, count))
            continue;
        m->status[grid[i]] = LOST;
        free(m->j->value[grid[i]]);
        m->j->value[grid[i]] = NULL;
        printf("round %d: %s does not fit to its neighbours: it is an outlier\n", job_round(m->j) + 1,
               level_text(&m->j->scheme, grid[i]));
    }
}
