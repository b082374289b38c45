/* Grids and their sums: between points a grid is linear, and a combination of interpolations is one. */
#include "../../examples/combi/grid.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double f(int dim, const double *x, double t)
{
    double u = 1;
    for (int k = 0; k < dim; k++)
        u *= 1 + 0.5 * sin(6.283185307179586 * (x[k] + 0.1 * k - t));
    return u;
}

static double *values(const struct grid *g)
{
    double *value = malloc((size_t)g->points * sizeof *value), x[DIM_MOST];
    for (long p = 0; p < g->points; p++) {
        grid_point(g, p, x);
        value[p] = f(g->dim, x, 0);
    }
    return value;
}

TEST(slab_is_the_coarsest_axis)
{
    struct grid g;
    grid_make(&g, 3, (int[]){5, 2, 3});
    CHECK_EQ_I64(g.slab, 1);
    CHECK_EQ_I64(g.stride[1], 256);
    CHECK_EQ_I64(g.points, 1024);
}

/* Each point has its own numbers along the axes, and the grid its value there. */
TEST(points)
{
    struct grid g;
    double x[DIM_MOST];
    grid_make(&g, 3, (int[]){2, 4, 1});
    double *value = values(&g);
    for (long p = 0; p < g.points; p++) {
        long back = 0;
        for (int k = 0; k < 3; k++)
            back += grid_along(&g, p, k) * g.stride[k];
        CHECK_EQ_I64(back, p);
        grid_point(&g, p, x);
        CHECK_NEAR(grid_at(&g, value, x), value[p], 1e-15);
    }
    free(value);
}

/* The middle of a cell is the mean of its corners; the last cell's are at the other end. */
TEST(between_points)
{
    struct grid g;
    double value[8] = {0};
    grid_make(&g, 2, (int[]){1, 2});
    value[1 * g.stride[0] + 3 * g.stride[1]] = 4;
    CHECK_NEAR(grid_at(&g, value, (double[]){0.75, 0.875}), 1, 1e-15);
    CHECK_NEAR(grid_at(&g, value, (double[]){0.5, 0.625}), 2, 1e-15);
    CHECK_NEAR(grid_at(&g, value, (double[]){0.25, 0.875}), 1, 1e-15);
    CHECK_NEAR(grid_at(&g, value, (double[]){0.25, 0.375}), 0, 1e-15);
}

/* All grids combined: at the points of each of them the function itself, elsewhere close to it. */
static void check_combination(int dim, int least, int tau, double tolerance)
{
    static struct scheme s;
    static struct grid grid[GRIDS_MOST];
    static bool all[GRIDS_MOST];
    static int weight[GRIDS_MOST];
    static double weights[GRIDS_MOST], *value[GRIDS_MOST];
    const int min[DIM_MOST] = {least, least, least};
    double x[DIM_MOST], worst = 0;
    REQUIRE(scheme_make(&s, dim, min, tau));
    memset(all, true, sizeof all);
    weights_of(&s, all, weight);
    for (int i = 0; i < s.count; i++) {
        grid_make(&grid[i], dim, s.level[i]);
        weights[i] = weight[i];
        value[i] = weight[i] != 0 ? values(&grid[i]) : NULL;
    }
    const struct combination c = {s.count, grid, weights, value};
    for (int i = 0; i < s.count; i++)
        for (long p = 0; p < grid[i].points; p++) {
            grid_point(&grid[i], p, x);
            worst = fmax(worst, fabs(combination_at(&c, x) - f(dim, x, 0)));
        }
    double away = combination_distance(&c, f, 0);
    CHECK(worst < 1e-12);
    CHECK(away < tolerance && away > 0);
    CHECK(combination_distance(&c, f, 0.25) > 0.3);
    CHECK(combination_distance(&c, NULL, 0) > 1);
    for (int i = 0; i < s.count; i++)
        free(value[i]);
}

TEST(combination)
{
    check_combination(2, 2, 3, 0.01);
    check_combination(2, 3, 5, 0.0005);
    check_combination(3, 2, 3, 0.02);
}
