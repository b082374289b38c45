/* Grids and the sparse grid: what is taken apart can be put together, and a combination of interpolations is one. */
#include "../../examples/combi/grid.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double f(const double *x, int dim)
{
    double u = 1;
    for (int k = 0; k < dim; k++)
        u *= 1 + 0.5 * sin(6.283185307179586 * (x[k] + 0.1 * k));
    return u;
}

static double *values(const struct grid *g)
{
    double *value = malloc((size_t)g->points * sizeof *value), x[DIM_MOST];
    for (long p = 0; p < g->points; p++) {
        grid_point(g, p, x);
        value[p] = f(x, g->dim);
    }
    return value;
}

static void check_round_trip(int dim, const int *level)
{
    struct grid g;
    grid_make(&g, dim, level);
    double *value = values(&g), *right = values(&g), worst = 0;
    grid_to_surplus(&g, value);
    grid_from_surplus(&g, value);
    for (long p = 0; p < g.points; p++)
        worst = fmax(worst, fabs(value[p] - right[p]));
    CHECK(worst < 1e-14);
    free(value);
    free(right);
}

TEST(round_trip)
{
    check_round_trip(2, (int[]){1, 1});
    check_round_trip(2, (int[]){3, 6});
    check_round_trip(2, (int[]){6, 2});
    check_round_trip(3, (int[]){2, 4, 1});
}

TEST(slab_is_the_coarsest_axis)
{
    struct grid g;
    grid_make(&g, 3, (int[]){5, 2, 3});
    CHECK_EQ_I64(g.slab, 1);
    CHECK_EQ_I64(g.stride[1], 256);
    CHECK_EQ_I64(g.points, 1024);
}

/* All grids combined: at the points of each of them the function itself, elsewhere close to it. */
static void check_combination(int dim, int least, int tau, double tolerance)
{
    static struct scheme s;
    static bool all[GRIDS_MOST];
    static int weight[GRIDS_MOST];
    struct sparse p;
    const int min[DIM_MOST] = {least, least, least};
    double x[DIM_MOST], worst = 0, away = 0;
    REQUIRE(scheme_make(&s, dim, min, tau));
    memset(all, true, sizeof all);
    weights_of(&s, all, weight);
    sparse_make(&p, &s);
    double *sum = calloc((size_t)p.length, sizeof *sum), *zero = calloc((size_t)p.length, sizeof *zero);
    for (int grid = 0; grid < s.count; grid++) {
        struct grid g;
        grid_make(&g, dim, s.level[grid]);
        double *value = values(&g);
        grid_to_surplus(&g, value);
        sparse_add(&p, &g, value, weight[grid], sum);
        free(value);
    }
    for (int grid = 0; grid < s.count; grid++) {
        struct grid g;
        grid_make(&g, dim, s.level[grid]);
        double *value = values(&g), *taken = malloc((size_t)g.points * sizeof *taken);
        sparse_take(&p, &g, sum, taken);
        grid_from_surplus(&g, taken);
        for (long i = 0; i < g.points; i++) {
            grid_point(&g, i, x);
            worst = fmax(worst, fabs(taken[i] - value[i]));
            worst = fmax(worst, fabs(sparse_at(&p, sum, x) - value[i]));
        }
        free(taken);
        free(value);
    }
    for (int i = 0; i < SAMPLES; i++) {
        sample_point(dim, i, x);
        away = fmax(away, fabs(sparse_at(&p, sum, x) - f(x, dim)));
    }
    CHECK(worst < 1e-12);
    CHECK(away < tolerance && away > 0);
    CHECK_NEAR(sparse_distance(&p, sum, sum), 0, 1e-15);
    CHECK(sparse_distance(&p, sum, zero) > 1);
    free(sum);
    free(zero);
    free(p.offset);
}

TEST(combination)
{
    check_combination(2, 2, 3, 0.02);
    check_combination(2, 3, 5, 0.001);
    check_combination(3, 2, 3, 0.04);
}
